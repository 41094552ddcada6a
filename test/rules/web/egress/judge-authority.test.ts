import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allowedHost } from '../../../../src/rules/web/egress/allowed-hosts.ts'
import { judgeAuthority } from '../../../../src/rules/web/egress/judge-authority.ts'
import { moreRefusedUrls } from '../../../support/web/url-corpus.ts'

const listOf = (...entries: readonly string[]) => entries.map((entry) => allowedHost.parse(entry))
const kindOf = (authority: string, ...entries: readonly string[]) =>
  judgeAuthority(authority, listOf(...entries)).kind

describe('entries of a list', () => {
  test.each([
    ['api.example.com', 'https', 'name', 'api.example.com', 443],
    ['API.Example.com.', 'https', 'name', 'api.example.com', 443],
    ['https://api.example.com', 'https', 'name', 'api.example.com', 443],
    ['api.example.com:8443', 'https', 'name', 'api.example.com', 8443],
    ['*.example.com', 'https', 'below', 'example.com', 443],
    ['*', 'https', 'any', '', 443],
    ['http://example.com', 'http', 'name', 'example.com', 80],
    ['http://example.com:8080', 'http', 'name', 'example.com', 8080],
    ['münchen.example', 'https', 'name', 'xn--mnchen-3ya.example', 443],
    ['203.0.113.9', 'https', 'address', '203.0.113.9', 443],
    ['10.0.0.5:8443', 'https', 'address', '10.0.0.5', 8443],
    ['[2606:4700::1111]', 'https', 'address', '2606:4700::1111', 443],
  ])('MCP-04 %s is understood', (text, scheme, kind, name, port) => {
    expect(allowedHost.parse(text)).toEqual({ scheme, kind, name, port })
  })

  test.each([
    ['', 'written as'],
    ['https://', 'written as'],
    ['ftp://example.com', 'written as'],
    ['example.com/path', 'written as'],
    ['user@example.com', 'written as'],
    ['a b.example', 'written as'],
    ['api.*.com', 'written as'],
    ['**', 'written as'],
    ['*.*', 'write * or'],
    ['example.com:0', 'no port'],
    ['example.com:65536', 'no port'],
    ['localhost', 'private name'],
    ['*.internal', 'private name'],
    ['metadata.google.internal', 'private name'],
    ['intranet', 'not a public name'],
    ['example..com', 'not a name'],
    ['example.com..', 'not a host'],
    ['2130706433', 'write the address as 127.0.0.1'],
    ['0x7f.1', 'write the address as 127.0.0.1'],
    ['010.0.0.1', 'write the address as 8.0.0.1'],
    ['*.10.0.0.1', 'no names below'],
    ['256.1.1.1', 'not a host'],
    ['[fe80::1%25eth0]', 'not a host'],
  ])('MCP-04 %j is refused when the configuration is read', (text, why) => {
    const parsed = allowedHost.safeParse(text)
    expect(parsed.error?.issues[0]?.message).toContain(why)
  })
})

describe('hosts that a program asks for', () => {
  test.each([
    ['api.example.com:443', ['api.example.com'], 'listed'],
    ['API.EXAMPLE.COM.:443', ['api.example.com'], 'listed'],
    ['api.example.com:443', ['API.example.com.'], 'listed'],
    ['xn--mnchen-3ya.example:443', ['münchen.example'], 'listed'],
    ['a.example.com:443', ['*.example.com'], 'listed'],
    ['a.b.example.com:443', ['*.example.com'], 'listed'],
    ['any.example.org:443', ['*'], 'listed'],
    ['example.com:8443', ['example.com:8443'], 'listed'],
    ['example.com:443', ['*.example.com'], 'unlisted'],
    ['evilexample.com:443', ['*.example.com'], 'unlisted'],
    ['evilexample.com:443', ['example.com'], 'unlisted'],
    ['example.com.evil.org:443', ['example.com', '*.example.com'], 'unlisted'],
    ['example.com:80', ['example.com'], 'unlisted'],
    ['example.com:8443', ['*', 'example.com'], 'unlisted'],
    ['api.example.com:443', [], 'unlisted'],
  ])('MCP-04 %s with the list %j is %s', (authority, list, kind) => {
    expect(kindOf(authority, ...list)).toBe(kind)
  })

  test('MCP-04 a request without TLS needs an entry that says http', () => {
    const list = listOf('example.com:80', 'http://plain.example', '*:80')
    expect(judgeAuthority('example.com:80', list, 'http').kind).toBe('unlisted')
    expect(judgeAuthority('plain.example:80', list, 'http')).toMatchObject({ scheme: 'http' })
    expect(judgeAuthority('plain.example:80', listOf('http://plain.example'))).toMatchObject({
      scheme: 'http',
    })
    expect(judgeAuthority('plain.example:80', list)).toMatchObject({ scheme: 'https' })
  })

  test.each([
    '127.0.0.1:443',
    '127.1:443',
    '2130706433:443',
    '0x7f000001:443',
    '0177.0.0.1:443',
    '0x7f.1:443',
    '010.0.0.1:443',
    '8.8.8.8:443',
    '134744072:443',
    '1.2.3.4.5:443',
    '256.1.1.1:443',
    '09.0.0.1:443',
    '169.254.169.254:443',
    '[::1]:443',
    '[::]:443',
    '[::ffff:127.0.0.1]:443',
    '[::ffff:7f00:1]:443',
    '[64:ff9b::7f00:1]:443',
    '[2606:4700::1111]:443',
    '[fe80::1%25eth0]:443',
    '[fe80::1%eth0]:443',
    '[fe80::5efe:127.0.0.1]:443',
    '::1:443',
    'localhost:443',
    'LOCALHOST.:443',
    'a.localhost:443',
    'metadata.google.internal:443',
    'intranet:443',
    'printer.local:443',
    'router.lan:443',
  ])('THREAT-36 MCP-04 %s is refused even where any name may be reached', (authority) => {
    expect(kindOf(authority, '*', '*.internal.example')).toBe('refused')
  })

  test.each([
    '',
    ':443',
    'example.com',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:x',
    'example.com:443 ',
    ' example.com:443',
    'user@example.com:443',
    'example.com:443/',
    'example..com:443',
    'example.com..:443',
    'ex ample.com:443',
    'example.com\0:443',
    'exämple.com:443',
    '%6cocalhost:443',
    'example.com%00.evil.org:443',
    'https://example.com:443',
    '[example.com]:443',
    '[]:443',
    '-:443',
    `${'a'.repeat(64)}.com:443`,
    `${'a.'.repeat(127)}com:443`,
    '1。1。1。1:443',
    '①.1.1.1:443',
    'xn--a:443',
  ])('THREAT-36 %j is no host with a port', (authority) => {
    expect(kindOf(authority, '*')).toBe('refused')
  })

  test('THREAT-36 an address is reached where it is listed, and only as it is usually written', () => {
    expect(kindOf('10.0.0.5:443', '10.0.0.5')).toBe('listed')
    expect(kindOf('10.0.0.5:8443', '10.0.0.5')).toBe('refused')
    expect(kindOf('167772165:443', '10.0.0.5')).toBe('refused')
    expect(kindOf('012.0.0.5:443', '10.0.0.5')).toBe('refused')
    expect(kindOf('[::ffff:10.0.0.5]:443', '10.0.0.5')).toBe('refused')
    expect(kindOf('[2606:4700:0:0::1]:443', '[2606:4700::1]')).toBe('listed')
  })

  test('THREAT-36 nothing that web tools refuse is reached by a list of all names', () => {
    const hosts = moreRefusedUrls.flatMap((url) => /^https:\/\/([^/?#]+)\//.exec(url)?.[1] ?? [])
    expect(hosts.length).toBeGreaterThan(100)
    const reached = hosts.filter(
      (host) => kindOf(`${host.replace(/:\d+$/, '')}:443`, '*') !== 'refused',
    )
    // Refused there for their ports and paths, which are cut off here.
    expect(new Set(reached)).toEqual(
      new Set(reached.filter((host) => /^example\.com(?::\d+)?$/.test(host))),
    )
  })

  test('THREAT-36 any text is judged without an error, and only a name in ASCII or an address is ever listed', () => {
    const list = listOf('*', '*.example.com', '10.0.0.5')
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.domain(), fc.ipV4(), fc.ipV6(), fc.string({ unit: 'binary' })),
        (host) => {
          const verdict = judgeAuthority(`${host}:443`, list)
          if (verdict.kind === 'listed')
            expect(verdict.target.host).toMatch(
              /^(?:10\.0\.0\.5|[a-z0-9_.-]+\.[a-z0-9_-]*[a-z_-][a-z0-9_-]*)$/,
            )
        },
      ),
    )
  })
})
