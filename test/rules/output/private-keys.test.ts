import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../src/rules/output/create-redactor.ts'
import { alnum, base64, hex, RandomText } from './corpus/random-text.ts'

const { redact } = createRedactor([])
const random = new RandomText(5)
const lines = (count: number, width = 64) =>
  Array.from({ length: count }, () => random.of(base64, width))
const end = (kind: string) => `-----END ${kind}-----`
const privateKey = 'RSA PRIVATE KEY'
const numbered = (all: readonly string[]) =>
  all.map((line, at) => `${String(at + 40).padStart(6)}\t${line}`).join('\n')

describe('a partially visible key', () => {
  test.each([
    ['tail -n +2', [...lines(12), 'aB3=', end(privateKey)].join('\n')],
    ['tail -5', [...lines(3), 'aB3dE5==', end('OPENSSH PRIVATE KEY')].join('\n')],
    ['one line and the end', [...lines(1), end('PRIVATE KEY')].join('\n')],
    ['CRLF', [...lines(4), end(privateKey)].join('\r\n')],
    [
      'grep -v BEGIN, with its headers',
      ['Proc-Type: 4,ENCRYPTED', '', ...lines(4), end(privateKey)].join('\n'),
    ],
    ['a JSON string from its middle', [...lines(3), end('PRIVATE KEY')].join('\\n')],
    ['PGP', [...lines(3), 'aB3d', '=xY9z', end('PGP PRIVATE KEY BLOCK')].join('\n')],
    ['lines of the middle', lines(4).join('\n')],
    ['lines of the middle of OpenSSH', lines(5, 70).join('\n')],
    ['all but its markers', [...lines(12), 'aB3dE5g='].join('\n')],
  ])('OUT-08 is hidden: %s', (_how, text) => {
    expect(redact(`before\n${text}\nafter`).text).toBe('before\n[redacted:private-key]\nafter')
  })

  test('OUT-08 is hidden in the format of the read tool with an offset', () => {
    const text = numbered([...lines(6), 'aB3dE5==', end(privateKey), 'after'])
    expect(redact(text).text).toBe('    40\t[redacted:private-key]\n    48\tafter')
    expect(redact(numbered(lines(5))).text).toBe('    40\t[redacted:private-key]')
  })

  test('OUT-08 words above a key without its BEGIN line stay', () => {
    const text = `reading key.pem\ndone\n\n${lines(2).join('\n')}\n${end(privateKey)}`
    expect(redact(text).text).toBe('reading key.pem\ndone\n\n[redacted:private-key]')
  })

  test.each([64, 70])(
    'OUT-08 AUD-01 lines of %i characters in a JSON string are hidden from the first one, and the JSON stays valid',
    (width) => {
      const path = `${lines(8, width).join('\n')}\n`
      const { text } = redact(JSON.stringify({ path, list: ['', 7] }))
      expect(JSON.parse(text)).toEqual({ path: '[redacted:private-key]\n', list: ['', 7] })
    },
  )
})

describe('text that only resembles part of a key', () => {
  test.each([
    ['the end of a certificate', [...lines(9), 'aB3dE5g=', end('CERTIFICATE')].join('\n')],
    ['the beginning of one', ['-----BEGIN CERTIFICATE-----', ...lines(9)].join('\n')],
    ['a numbered one', numbered(['-----BEGIN CERTIFICATE-----', ...lines(9), end('CERTIFICATE')])],
    ['a message', ['-----BEGIN PGP MESSAGE-----', 'Version: 1', '', ...lines(9)].join('\n')],
    ['a signature', [...lines(5), '=aB3d', end('PGP SIGNATURE')].join('\n')],
    ['an image in mail', lines(9, 76).join('\n')],
    ['hashes', Array.from({ length: 9 }, () => random.of(hex, 64)).join('\n')],
    ['three lines', lines(3).join('\n')],
    ['a rule', Array(6).fill('a'.repeat(64)).join('\n')],
    ['a marker that is spoken of', `it ends with ${end(privateKey)} in a line`],
  ])('OUT-08 stays unchanged: %s', (_what, text) => {
    expect(redact(text).text).toBe(text)
  })
})

describe('a key in base64', () => {
  const pem = ['-----BEGIN PRIVATE KEY-----', ...lines(9), end('PRIVATE KEY')].join('\n')
  const certificate = ['-----BEGIN CERTIFICATE-----', ...lines(9), end('CERTIFICATE')].join('\n')
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const inLines = (text: string, width: number) =>
    (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n')

  test.each([
    ['bare', encoded(pem)],
    ['behind a certificate', encoded(`${certificate}\n${pem}\n`)],
    ['in lines of 76', inLines(encoded(pem), 76)],
    ['in lines of 64', inLines(encoded(pem), 64)],
  ])('OUT-08 is hidden, %s', (_how, text) => {
    expect(redact(`before\n${text}\nafter`).text).toBe('before\n[redacted:private-key]\nafter')
  })

  test('OUT-08 is distinguished from a certificate', () => {
    expect(redact(encoded(certificate)).text).toBe(encoded(certificate))
  })
})

test('OUT-08 both halves of a key that was cut in the middle are hidden', () => {
  const cut = '[… 70000 bytes left out …]'
  const head = ['-----BEGIN PRIVATE KEY-----', ...lines(3), random.of(base64, 20)].join('\n')
  const tail = [random.of(base64, 30), ...lines(3), end('PRIVATE KEY')].join('\n')
  const { text } = redact(`first\n${head}\n${cut}\n${tail}\nlast ${random.of(alnum, 5)}`)
  expect(text.replaceAll(/\[redacted:private-key\]|\[….*…\]/g, '').length).toBeLessThan(30)
})
