import { expect, test } from 'vitest'
import { checkUrl } from '../../../src/rules/web/check-url.ts'
import { harmlessUrls, moreRefusedUrls } from '../../support/web/url-corpus.ts'

const open = { allowedDomains: [], deniedDomains: [], allowedPorts: [] }
const verdictOf = (url: string, web: Partial<typeof open> | object = {}) =>
  checkUrl(url, { ...open, ...web }).kind

test('WEB-02 no spelling of a private address, name, scheme, user or port is allowed', () => {
  const through = moreRefusedUrls.filter((url) => verdictOf(url) === 'ok')
  expect(through).toEqual([])
  expect(new Set(moreRefusedUrls).size).toBeGreaterThan(250)
})

test('WEB-02 public URLs that resemble private ones are allowed', () => {
  expect(harmlessUrls.filter((url) => verdictOf(url) !== 'ok')).toEqual([])
})

test('WEB-02 an address that is public only if its zeros are read as octal is refused', () => {
  expect(checkUrl('https://010.0.0.1/', open)).toEqual({
    kind: 'refused',
    why: '10.0.0.1 is not a public address',
  })
})

test.each([
  ['example.com', 'https://example.com/', true],
  ['example.com', 'https://EXAMPLE.COM./', true],
  ['Example.COM.', 'https://example.com/', true],
  ['example.com', 'https://www.example.com/', false],
  ['*.example.com', 'https://www.example.com/', true],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://badexample.com/', false],
  ['*.example.com', 'https://example.com.evil.org/', false],
  ['*example.com', 'https://badexample.com/', true],
  ['xn--mnchen-3ya.de', 'https://münchen.de/', true],
  ['example.com', 'https://example%2ecom/', true],
  ['example.com', 'https://ｅxample.com/', true],
  ['8.8.*', 'https://0x08080808/', true],
  ['2606*', 'https://[2606:4700::1111]/', true],
])('WEB-04 a list of domains with %s fits %s: %s', (pattern, url, fits) => {
  expect(verdictOf(url, { deniedDomains: [pattern] })).toBe(fits ? 'refused' : 'ok')
  expect(verdictOf(url, { allowedDomains: [pattern] })).toBe(fits ? 'ok' : 'refused')
})
