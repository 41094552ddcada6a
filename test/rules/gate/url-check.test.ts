import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkUrl, isPublicAddress } from '../../../src/rules/gate/url-check.ts'

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

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,x',
    'example.com',
    '',
    'https://',
    'https://user@example.com/',
    'https://user:pass@example.com/',
    'https://@example.com/',
    'https://example.com:8443/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://metadata/',
    'https://instance-data/',
    'https://intranet/',
    'https://router.lan/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://017700000001/',
    'https://127.0.0.1./',
    'https://１２７.0.0.1/',
    'https://ⓛocalhost/',
    'https://%31%32%37.0.0.1/',
    'https://0.0.0.0/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest',
    'https://100.64.0.1/',
    'https://192.0.2.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://198.18.0.1/',
    'https://192.0.0.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[::7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001::1]/',
    'https://[2001:db8::1]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[fd12:3456::1]/',
    'https://[ff02::1]/',
    'https://[fec0::1]/',
    'https://exa mple.com/',
    'https://example.com/\u0000',
    'https://example.com\\@evil/',
    'https://exam\tple.com/',
    `https://example.com/${'a'.repeat(9_000)}`,
  ])('WEB-02 %j is refused', (url) => {
    expect(checkUrl(url, open).kind).toBe('refused')
  })

  test('WEB-02 other ports are fine where they are configured', () => {
    expect(checkUrl('https://example.com:8443/', { ...open, allowedPorts: [8443] }).kind).toBe('ok')
  })

  test('WEB-04 domain lists are wildcards on the host, and a denied one wins', () => {
    const web = { ...open, allowedDomains: ['*.example.com'], deniedDomains: ['bad.*'] }
    expect(checkUrl('https://a.example.com/', web).kind).toBe('ok')
    expect(checkUrl('https://A.EXAMPLE.com/', web).kind).toBe('ok')
    expect(checkUrl('https://bad.example.com/', web).kind).toBe('refused')
    expect(checkUrl('https://example.org/', web).kind).toBe('refused')
    expect(checkUrl('https://evil.org/.example.com', web).kind).toBe('refused')
  })

  test('WEB-02 no private IPv4 address gets through, however it is written', () => {
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

  test('WEB-02 it never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        checkUrl(text, open)
        checkUrl(`https://${text}`, open)
        isPublicAddress(text)
      }),
    )
  })
})
