import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRedisAddress, showRedisAddress } from '../../../src/adapters/queue/redis-address.ts'

const plain = { host: 'localhost', port: 6379, db: 0 }

describe('the address of a Redis', () => {
  test.each([
    ['redis://localhost', plain],
    ['redis://', plain],
    ['redis://cache:7000/', { ...plain, host: 'cache', port: 7000 }],
    ['redis://cache/15', { ...plain, host: 'cache', db: 15 }],
    ['redis://[::1]:7000/2', { host: '::1', port: 7000, db: 2 }],
    ['redis://:p%40ss@localhost', { ...plain, password: 'p@ss' }],
    ['redis://:100%@localhost', { ...plain, password: '100%' }],
    ['redis://alice@localhost', { ...plain, username: 'alice', password: '' }],
    ['redis://a%3Ab:c@localhost', { ...plain, username: 'a:b', password: 'c' }],
    ['rediss://cache', { ...plain, host: 'cache', tls: { servername: 'cache' } }],
    ['rediss://10.0.0.1', { ...plain, host: '10.0.0.1', tls: {} }],
    ['rediss://[::1]', { ...plain, host: '::1', tls: {} }],
  ])('STORE-02 %s is understood', (url, address) => {
    expect(parseRedisAddress(url)).toEqual(address)
  })

  test.each([
    '',
    'localhost:6379',
    'http://localhost',
    'redis://localhost/one',
    'redis://localhost/1/2',
    'redis://localhost/-1',
    'redis://localhost?db=1',
    'redis://localhost#1',
    'redis://localhost:99999',
  ])('REL-02 %j is refused', (url) => {
    expect(() => parseRedisAddress(url)).toThrow('the ')
  })

  test('REL-02 THREAT-14 any text is parsed, or refused without being quoted, and shown without its password', () => {
    const secret = 'S3CRET'
    const url = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => `${text}${secret}`),
      fc
        .tuple(fc.constantFrom('redis', 'rediss'), fc.webAuthority({ withPort: true }), fc.string())
        .map(([scheme, authority, rest]) => `${scheme}://u:${secret}@${authority}/${rest}`),
    )
    fc.assert(
      fc.property(url, (text) => {
        let words: string
        try {
          const address = parseRedisAddress(text)
          words = address.password === secret ? showRedisAddress(address) : ''
        } catch (error) {
          words = `${error}`
        }
        expect(words).not.toContain(secret)
      }),
    )
  })
})
