import { describe, expect, jest, test } from '@jest/globals'
import { StickyAssignorError } from './errors'

describe('StickyAssignorError', () => {
  test('carries a code and the field at fault', () => {
    const error = new StickyAssignorError('STICKY_ERR_INVALID_OPTION', 'rackId', 'rackId: expected a non-empty string')
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'StickyAssignorError', code: 'STICKY_ERR_INVALID_OPTION', field: 'rackId' })
  })

  test('is recognised across copies of the package', () => {
    let copy: unknown
    jest.isolateModules(() => {
      copy = new (require('./errors').StickyAssignorError)('STICKY_ERR_INVALID_OPTION', 'x', 'x')
    })
    expect(copy instanceof StickyAssignorError).toBe(true)
    expect(new Error('other') instanceof StickyAssignorError).toBe(false)
  })
})
