import { expect, test } from 'vitest'
import { isConnectionLoss } from '../../src/util/has-code.ts'

test.each([
  Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
  new Error('Connection terminated unexpectedly'),
  new Error('LOADING Redis is loading the dataset in memory'),
])('STORE-04 %s: the server is away, and waiting helps', (error) => {
  expect(isConnectionLoss(error)).toBe(true)
})

test.each([
  Object.assign(new Error('duplicate key'), { code: '23505' }),
  new Error('OOM command not allowed when used memory > maxmemory'),
  new Error('WRONGPASS invalid username-password pair'),
  'ECONNREFUSED',
])('STORE-04 %s: the server is there', (error) => {
  expect(isConnectionLoss(error)).toBe(false)
})
