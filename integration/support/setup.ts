import { jest } from '@jest/globals'

// Conditions have deadlines of their own, which say what was waited for; this one only ends a test that hangs.
jest.setTimeout(300_000)
