import { expect, test } from 'vitest'
import { explainError } from '../../../src/app/logs/explain-error.ts'
import { clauseOf, errorCodes } from '../../../src/domain/error-codes.ts'
import { postgresStates } from '../../../src/domain/postgres-states.ts'

const failure = (code: string, message = 'as reported'): Error =>
  Object.assign(new Error(message), { code })

test.each(Object.entries(postgresStates).filter(([state]) => state.length === 5))(
  'DOC-03 the SQLSTATE %s has the code %s and the words of the reference',
  (state, code) => {
    expect(explainError(failure(state))).toMatchObject({ code, message: clauseOf(code) })
  },
)

test('DOC-03 another error of a class has its code and the message of PostgreSQL', () => {
  expect(explainError(failure('53100', 'disk full'))).toMatchObject({
    code: 'DATABASE_FAILED',
    message: 'the database said: disk full',
  })
  expect(explainError(failure('57014', 'timed out'))?.code).toBe('DATABASE_FAILED')
  expect(explainError(failure('42601', 'syntax error'))).toBeUndefined()
  expect(explainError(failure('53', 'a code of something else'))).toBeUndefined()
})

test('DOC-03 a clause is one line that names what to do', () => {
  expect(clauseOf('DATABASE_LOGIN')).toBe(
    'PostgreSQL refuses the user or the password: check DATABASE_URL',
  )
  expect(clauseOf('INSTALLATION_CHANGED')).toBe(
    'the installation was replaced or removed while the process ran: start it again',
  )
  for (const code of Object.keys(errorCodes) as (keyof typeof errorCodes)[])
    expect(clauseOf(code)).not.toMatch(/[`\n]|\.$/)
})

test('DOC-03 the cause of an error is explained where the error itself is not', () => {
  const error = new Error('a query failed', { cause: failure('ECONNREFUSED', 'connect refused') })
  expect(explainError(error)).toMatchObject({
    code: 'DATABASE_UNREACHABLE',
    message: 'cannot reach the database: connect refused',
  })
})
