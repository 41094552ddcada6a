import { expect, test } from 'vitest'
import { explainLibc } from '../../../src/db/embedded/start-embedded-postgres.ts'

test('SHIP-02 where the system has no glibc, an error of PostgreSQL says so and what to do; elsewhere it stays as it is', () => {
  const error = new Error('spawn /opt/native/bin/postgres ENOENT')
  const explained = explainLibc(error, { platform: 'linux', glibc: undefined })
  expect(explained).toMatchObject({
    name: 'EmbeddedPostgresError',
    cause: error,
    message: expect.stringMatching(/needs glibc.*musl.*DATABASE_URL.*postgres ENOENT/),
  })
  expect(explainLibc(error, { platform: 'linux', glibc: '2.36' })).toBe(error)
  expect(explainLibc(error, { platform: 'darwin', glibc: undefined })).toBe(error)
  // Tests run where there is one.
  expect(explainLibc(error)).toBe(error)
})
