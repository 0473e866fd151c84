'use strict'
// kafkajs under OpenTelemetry's instrumentation, for members that are told to load this instead (HostOptions.kafkajs).
// As in an application, the instrumentation is there before kafkajs is loaded, and changes it when it is. Spans that
// have ended go to the parent.
const { KafkaJsInstrumentation } = require('@opentelemetry/instrumentation-kafkajs')
const { NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')

const toParent = {
  onStart() {},
  onEnd({ name, kind, status, attributes }) {
    process.send({ span: { name, kind, status, attributes } })
  },
  async forceFlush() {},
  async shutdown() {},
}
new NodeTracerProvider({ spanProcessors: [toParent] }).register()
new KafkaJsInstrumentation()

module.exports = require('kafkajs')
