// A NestJS microservice that consumes orders. BROKERS=host:port npm start
// The decorators are called as functions, so that it runs without a compiler; in TypeScript write them as usual.
import 'reflect-metadata'
import { Controller, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Ctx, EventPattern, Payload, Transport } from '@nestjs/microservices'
import { stickyAssignor } from 'kafkajs-sticky-assignor'

class Orders {
  // Nest has parsed the JSON of the record's value.
  handle(order, context) {
    console.log(`order ${order.order} of partition ${context.getPartition()}`)
  }
}
Controller()(Orders)
EventPattern('orders')(Orders.prototype, 'handle', Object.getOwnPropertyDescriptor(Orders.prototype, 'handle'))
Payload()(Orders.prototype, 'handle', 0)
Ctx()(Orders.prototype, 'handle', 1)

class App {}
Module({ controllers: [Orders] })(App)

const app = await NestFactory.createMicroservice(App, {
  transport: Transport.KAFKA,
  options: {
    client: { brokers: (process.env.BROKERS ?? '127.0.0.1:9092').split(',') },
    consumer: {
      // The group is called nestjs-server: Nest adds what the app is.
      groupId: 'nestjs',
      maxWaitTimeInMs: 500,
      partitionAssigners: [
        stickyAssignor({ onRebalance: ({ assigned }) => console.log('mine now', JSON.stringify(assigned)) }),
      ],
    },
  },
})
// At SIGTERM leave the group: the others take over at once.
app.enableShutdownHooks()
await app.listen()
