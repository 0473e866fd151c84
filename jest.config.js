'use strict'

const transform = {
  '^.+\\.ts$': [
    '@swc/jest',
    { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
  ],
}
const common = { testEnvironment: 'node', transform, moduleFileExtensions: ['ts', 'js', 'cjs', 'json'] }

/** @type {import('jest').Config} */
module.exports = {
  testSequencer: '<rootDir>/scripts/lib/longest-first.cjs',
  projects: [
    // Pure parts and kafkajs parts against a scripted coordinator: seconds, no network.
    {
      ...common,
      displayName: 'unit',
      roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/lab/model'],
      testMatch: ['**/*.test.ts'],
      testPathIgnorePatterns: ['/test/packaging/'],
    },
    // The tarball as its users get it.
    { ...common, displayName: 'packaging', roots: ['<rootDir>/test/packaging'], testMatch: ['**/*.test.ts'] },
    // The page in a real Chromium; skipped where there is none.
    { ...common, displayName: 'e2e', roots: ['<rootDir>/lab/e2e'], testMatch: ['**/*.test.ts'] },
    // A real broker and real consumer processes.
    {
      ...common,
      displayName: 'integration',
      roots: ['<rootDir>/integration'],
      testMatch: ['**/*.test.ts'],
      globalSetup: '<rootDir>/integration/support/global-setup.ts',
      setupFilesAfterEnv: ['<rootDir>/integration/support/setup.ts'],
    },
  ],
}
