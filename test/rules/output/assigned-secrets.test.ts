import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'

const { redact } = createRedactor([])
const django = 'abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)'
const djangoKey = fc
  .string({ unit: fc.constantFrom(...django), minLength: 50, maxLength: 50 })
  .filter((key) => !/^\W*[a-z_]\w*\(/.test(key))

describe('a generated key in quotes', () => {
  const anyKey = fc.string({ unit: fc.constantFrom(...django), minLength: 50, maxLength: 50 })

  test.each([
    ["settings of Django: '", (key: string) => `SECRET_KEY = '${key}'`],
    ['settings of Django: "', (key: string) => `SECRET_KEY = "${key}"`],
    ['JSON', (key: string) => `{ "secretKey": "${key}" }`],
  ])('OUT-08 is not mistaken for a reference or for words: %s', (_where, make) => {
    const keys = fc.sample(anyKey, { numRuns: 3_000, seed: 5 })
    const leaks = keys.filter((key) => redact(make(key)).text.includes(key.slice(0, 25)))
    expect(leaks.length).toBeLessThanOrEqual(1)
  })

  test.each([
    "SECRET_KEY = '$(SECRET_KEY_OF_THE_APPLICATION_IN_THE_CLUSTER)'",
    "SECRET_KEY = '%(secret_key_of_the_application_in_production)s'",
    "SECRET_KEY = '%SECRET_KEY_OF_THE_APPLICATION_IN_PRODUCTION%'",
    "SECRET_KEY = 'please-change-me!!!(before-you-deploy-it=anywhere)'",
  ])('OUT-08 a reference or a placeholder stays unchanged: %s', (line) => {
    expect(redact(line).text).toBe(line)
  })
})

describe('a value without quotes', () => {
  test.each([
    ['.env', (key: string) => `DEBUG=1\nSECRET_KEY=${key}\nA=b`],
    ['YAML', (key: string) => `a: b\n  secret_key: ${key}\nb: c`],
    ['a list of YAML', (key: string) => `- secret_key: ${key}\n`],
    ['properties', (key: string) => `a=b\nmy.secret.key = ${key}\n`],
  ])('OUT-08 is redacted completely, with any punctuation: %s', (_where, make) => {
    const leaks = fc.sample(djangoKey, { numRuns: 400, seed: 3 }).filter((key) => {
      const { text } = redact(make(key))
      return text !== make('§').replace('§', '[redacted:assigned-secret]')
    })
    expect(leaks.length).toBeLessThanOrEqual(8)
  })

  test.each([
    'password: Tr0ub(4dor&3xyz',
    '  db_password: a,b;c(1)d{2}e9',
    'export DB_PASSWORD=Qx(1[2]{3}<4>;9',
  ])('OUT-08 is redacted completely: %s', (line) => {
    const name = line.slice(0, line.search(/[:=]/))
    expect(redact(`a\n${line}\nb`).text).toMatch(
      new RegExp(`^a\\n${name}[:=] ?\\[redacted:assigned-secret\\]\\nb$`),
    )
  })

  test.each([
    '  token: getToken(req.body.id1),',
    '  password: await1(hash(input1)),',
    '  password: Joi.string().min(8).max(30),',
    '  secret: sign(payload1,',
    '  token: createToken1({',
    '  password: !secret wifi_password1',
    'token=e.t(1).token2',
  ])('OUT-08 code stays unchanged: %s', (line) => {
    expect(redact(`a\n${line}\nb`).text).toBe(`a\n${line}\nb`)
  })
})

describe('a placeholder', () => {
  test.each([
    'My-Example-77-pw',
    'Qxxxx7!abcZ',
    'abc...9Kl!22',
    'sup3rs3cr3there',
    '####Kd82!x',
    'Todo-list-4711x',
  ])(
    'OUT-08 a password that merely contains a placeholder word is redacted: DB_PASSWORD=%s',
    (password) => {
      expect(redact(`DB_PASSWORD=${password}`).text).toBe('DB_PASSWORD=[redacted:assigned-secret]')
    },
  )

  test.each([
    'your-password-1',
    'changeme123',
    'ChangeMe!',
    'example_password_2',
    'xxxxxxxx1',
    '********1',
    '<your-password-1>',
    '$' + '{DB_PASSWORD_2}',
  ])('OUT-08 stays unchanged: DB_PASSWORD=%s', (value) => {
    expect(redact(`DB_PASSWORD=${value}`).text).toBe(`DB_PASSWORD=${value}`)
  })
})
