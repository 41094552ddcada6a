import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkUrl } from '../../../src/rules/web/check-url.ts'
import { isPublicAddress } from '../../../src/rules/web/host-problem.ts'
import { refusedUrls } from '../../support/web/refused-urls.ts'

const open = { allowedDomains: [], deniedDomains: [], allowedPorts: [] }

describe('checkUrl', () => {
  test.each([
    ['https://example.com/a?b=c', 'example.com'],
    ['HTTPS://EXAMPLE.com', 'example.com'],
    ['https://example.com:443/', 'example.com'],
    ['https://example.com./', 'example.com'],
    ['https://93.184.216.34/', '93.184.216.34'],
    ['https://[2606:4700::1111]/', '2606:4700::1111'],
    ['https://münchen.example/', 'xn--mnchen-3ya.example'],
    ['https://example.com/@user', 'example.com'],
  ])('WEB-02 %s is fine', (url, host) => {
    expect(checkUrl(url, open)).toMatchObject({ kind: 'ok', host })
  })

  test.each(refusedUrls)('WEB-02 %j is refused', (url) => {
    expect(checkUrl(url, open).kind).toBe('refused')
  })

  test('WEB-02 configured ports are allowed', () => {
    expect(checkUrl('https://example.com:8443/', { ...open, allowedPorts: [8443] }).kind).toBe('ok')
  })

  test('WEB-04 domain lists are wildcards on the host, and denied domains take precedence', () => {
    const web = { ...open, allowedDomains: ['*.example.com'], deniedDomains: ['bad.*'] }
    expect(checkUrl('https://a.example.com/', web).kind).toBe('ok')
    expect(checkUrl('https://A.EXAMPLE.com/', web).kind).toBe('ok')
    expect(checkUrl('https://bad.example.com/', web).kind).toBe('refused')
    expect(checkUrl('https://example.org/', web).kind).toBe('refused')
    expect(checkUrl('https://evil.org/.example.com', web).kind).toBe('refused')
  })

  test('WEB-02 private IPv4 addresses are refused in every notation', () => {
    const octets = fc.tuple(fc.constantFrom(10, 127, 0), fc.nat(255), fc.nat(255), fc.nat(255))
    fc.assert(
      fc.property(octets, fc.constantFrom(8, 10, 16), ([a, b, c, d], base) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d
        const prefix = { 8: '0', 10: '', 16: '0x' }[base]
        expect(checkUrl(`https://${prefix}${number.toString(base)}/`, open).kind).toBe('refused')
        expect(checkUrl(`https://[::ffff:${a}.${b}.${c}.${d}]/`, open).kind).toBe('refused')
      }),
    )
  })

  test.each([
    '168.63.129.16',
    '0xa83f8110',
    '[2603:1030:a:b:0:5efe:a9fe:a9fe]',
    '[2a00:1450:4001:82b:0:5efe:10.0.0.1]',
    '[2a00:1450:4001:82b:200:5efe:8.8.8.8]',
    '[2a00:1450:4001:82b:300:5EFE:127.0.0.1]',
    '169.254.169.254',
    '100.100.100.200',
    '192.0.0.192',
    '192.88.99.1',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[::ffff:0:169.254.169.254]',
    '[5f00::1]',
    '[100::1]',
    '[2001:20::1]',
  ])(
    'WEB-02 WEB-03 a cloud’s own machine, and an IPv4 address inside an IPv6 one, are refused: %s',
    (host) => {
      expect(checkUrl(`https://${host}/`, open).kind).toBe('refused')
      const parsed = new URL(`https://${host}/`).hostname.replace(/^\[|\]$/g, '')
      expect(isPublicAddress(parsed)).toBe(false)
    },
  )

  test('WEB-02 a host that ends with more than one dot is refused', () => {
    for (const host of ['44314430..', '127.0.0.1..', 'example.com..', 'localhost...'])
      expect(checkUrl(`https://${host}/`, open).kind).toBe('refused')
  })

  test.each(['168.63.129.17', '[2a00:1450:4001:82b::200e]', '[2a00:1450:4001:5efe::1]'])(
    'WEB-02 their neighbours are public: %s',
    (host) => {
      expect(checkUrl(`https://${host}/`, open).kind).toBe('ok')
    },
  )

  // One list per family: IPv6 ranges contain every IPv4 address in mapped form.
  const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() }
  const ranges: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
    ...(['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'] as const),
    ...(['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.168.0.0/16'] as const),
    ...(['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4'] as const),
    ...(['240.0.0.0/4', '::/8', '100::/8', '64:ff9b::/32', '2001::/23', '2001:db8::/32'] as const),
    ...(['2002::/16', '3fff::/20', '4000::/2', '8000::/1'] as const),
  ].map((range) => {
    const [address = '', bits] = range.split('/')
    return [address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4'] as const
  })
  for (const [address, bits, kind] of ranges) notPublic[kind].addSubnet(address, bits, kind)

  /** Addresses near the ends of ranges, and arbitrary ones. */
  const addresses = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.constantFrom(...ranges.map(([address]) => address)),
    fc
      .tuple(fc.constantFrom(...ranges), fc.nat(0xffff))
      .map(([[address, , kind], low]) =>
        kind === 'ipv4'
          ? address.replace(/\d+\.\d+$/, `${low >> 8}.${low & 255}`)
          : address.replace(/::$/, `::${low.toString(16)}`),
      ),
  )

  test('WEB-02 WEB-03 no allowed address is in a non-public range', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        const isV6 = address.includes(':')
        const verdict = checkUrl(`https://${isV6 ? `[${address}]` : address}/`, open)
        const kind = isV6 ? 'ipv6' : 'ipv4'
        const isOutside = notPublic[kind].check(address, kind)
        if (isOutside) expect([verdict.kind, isPublicAddress(address)]).toEqual(['refused', false])
      }),
      { numRuns: 3_000 },
    )
  })

  test('WEB-02 an allowed URL has a public name or address as host, uses https, and has no user', () => {
    const pieces = fc.constantFrom(
      ...'https: http: // / \\ @ : . %2e 。 localhost LOCALHOST internal local example com 127 0x7f 1 0 [::1] [ ] ? # a １ ⓛ xn-- 443 %00 %40'.split(
        ' ',
      ),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        for (const url of [parts.join(''), `https://${parts.join('')}`]) {
          const verdict = checkUrl(url, open)
          if (verdict.kind === 'refused') continue
          const { protocol, username, password, hostname, port } = new URL(verdict.url)
          expect([protocol, username, password, port]).toEqual(['https:', '', '', ''])
          expect(hostname).not.toMatch(/(?:^|\.)(?:localhost|local|internal)\.*$/)
          expect(isIP(verdict.host) === 0 || isPublicAddress(verdict.host)).toBe(true)
          expect(verdict.host).toContain(isIP(verdict.host) === 6 ? ':' : '.')
        }
      }),
      { numRuns: 3_000 },
    )
  })

  test('WEB-02 never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        checkUrl(text, open)
        checkUrl(`https://${text}`, open)
        isPublicAddress(text)
      }),
    )
  })
})
