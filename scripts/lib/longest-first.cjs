'use strict'

const Sequencer = require('@jest/test-sequencer').default

/** Files that last for minutes: begun last, each would keep one worker busy while the others have nothing left to do. */
const longest = ['soak', 'cooperative-handlers', 'random', 'cooperative-brokers', 'cooperative-faults', 'interop-java']
const rank = ({ path }) => {
  const i = longest.findIndex(name => path.endsWith(`/integration/${name}.test.ts`))
  return i < 0 ? longest.length : i
}

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a) - rank(b))
  }
}
