'use strict'
// Where Prometheus reads this instance's metrics: http://…:METRICS_PORT/metrics. Without METRICS_PORT there are none.
const { createServer } = require('node:http')
const { prometheusMetrics } = require('kafkajs-sticky-assignor/metrics')
const { logger } = require('./settings')

/** The assignor's option `metrics`. */
exports.serveMetrics = port => {
  if (!port) return undefined
  const client = require('prom-client')
  const server = createServer(async (request, response) => {
    if (request.url !== '/metrics') return response.writeHead(404).end()
    response.setHeader('content-type', client.register.contentType)
    response.end(await client.register.metrics())
  })
  server.on('error', error => logger.warn({ err: error }, 'metrics cannot be served'))
  // They do not keep the process alive.
  server.listen(Number(port)).unref()
  return prometheusMetrics({ client })
}
