import { basename } from 'node:path'
import { expect, jest } from '@jest/globals'
import { sayAs } from './wait'

// Conditions have deadlines of their own, which say what was waited for; this one only ends a test that hangs.
jest.setTimeout(300_000)
sayAs(basename(expect.getState().testPath ?? '', '.test.ts'))
