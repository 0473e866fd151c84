import { dirname } from 'node:path'

/** The project's folder. Resolved by name, so that it is right in a bundled script too. */
export const root = dirname(require.resolve('kafkajs-sticky-assignor/package.json'))
