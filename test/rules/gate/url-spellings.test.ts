import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { approvalSubject } from '../../../src/rules/gate/approval-subject.ts'
import { approverRule } from '../../../src/rules/gate/approver-rule.ts'
import { createPolicy } from '../../../src/rules/gate/policy/create-policy.ts'
import { checkUrl } from '../../../src/rules/web/check-url.ts'
import { toUrlForms } from '../../../src/rules/web/url-forms.ts'
import { judgeWith, specOf, workspace } from './support/judge-with.ts'

const fetched = (url: string, fetch: Record<string, string>): string =>
  judgeWith('fetch', { url }, { permissions: { fetch } }).action

describe('a rule that denies a URL', () => {
  test.each([
    'https://example.com/admin/users',
    'https://example.com./admin/users',
    'HTTPS://EXAMPLE.COM/ADMIN/users',
    'https://example.com:443/admin/users',
    'https://example.com/%61dmin/users',
    'https://example.com/%2561dmin/users',
    'https://example.com//admin//users',
    'https://example.com/%2fadmin/users',
    'https://example.com/admin%2fusers',
    'https://example.com/admin;a=b/users',
    'https://example.com/;x/admin/users',
    'https://example.com/admin%3bv=1/users',
    'https://example.com/public/..%2fadmin/users',
    'https://example.com/public/%2e%2e/admin/users',
    'https://example.com/public/..;/admin/users',
    'https://example.com/./admin/./users',
    'https://example.com/admin%5cusers',
    'https://example.com/admin/users#x',
    'https://example.com/admin/users?',
    'https://example.com/ad%09min/users',
    'https://example.com/%61dmin/users?x=%zz',
    'https://ＥＸＡＭＰＬＥ.com/admin/users',
    'https://exam%70le.com/admin/users',
  ])('WEB-02 GATE-06 denies %s by https://example.com/admin/*', (url) => {
    const rules = { '*': 'allow', 'https://example.com/admin/*': 'deny' }
    expect(fetched(url, rules)).toBe('deny')
    const asks = { '*': 'allow', 'https://example.com/admin/*': 'ask' }
    expect(fetched(url, asks)).toBe('ask')
  })

  test.each([
    ['example.com', 'https://example.com./x'],
    ['EXAMPLE.com.', 'https://example.com/x'],
    ['bücher.example', 'https://xn--bcher-kva.example/x'],
    ['*.bücher.example', 'https://a.B%C3%9Ccher.example/x'],
    ['https://bücher.example/*', 'https://xn--bcher-kva.example/x'],
    ['xn--bcher-kva.example', 'https://bücher.example/x'],
    ['https://example.com:443/*', 'https://example.com/x'],
    ['https://example.com/%61dmin/*', 'https://example.com/admin/x'],
    ['https://example.com//admin/*', 'https://example.com/admin/x'],
    ['https://example.com/admin', 'https://example.com/admin#x'],
    ['example.com/admin/*', 'https://example.com/admin/x'],
    ['*/admin/*', 'https://a.example/x/%61dmin/y'],
    ['*admin*', 'https://a.example/x/%61dmin'],
    ['*token=*', 'https://a.example/x?t%6fken=1'],
    ['https://a.example/x?a=1&b=2', 'https://a.example/x?b=2&a=1'],
    ['https://a.example/x?a=1&b=2', 'https://a.example/x?b=%32&&a=1&'],
    ['https://a.example/x?delete=1*', 'https://a.example/x?id=5&delete=1'],
    ['https://a.example/x?*delete=1*', 'https://a.example/x?id=5&DELETE=1'],
    ['https://a.example/x?a=*c=3', 'https://a.example/x?c=3&a=1'],
    ['https://a.example/x\\*y', 'https://a.example/x%2ay'],
    ['https://a.example/fil?.txt', 'https://a.example/fil%65.txt'],
  ])('WEB-02 GATE-06 %s denies %s', (pattern, url) => {
    expect(fetched(url, { '*': 'allow', [pattern]: 'deny' })).toBe('deny')
  })

  test.each([
    ['https://example.com/admin/*', 'https://example.com/administration'],
    ['https://example.com/admin/*', 'https://example.org/admin/x'],
    ['https://a.example/x?a=1&b=2', 'https://a.example/x?a=1&b=3'],
    ['https://a.example/x?a=1', 'https://a.example/x?a=1&b=2'],
    ['https://a.example/x?a=1*', 'https://a.example/x?ba=1'],
    ['bücher.example', 'https://bucher.example/'],
  ])('GATE-06 %s says nothing of %s', (pattern, url) => {
    expect(fetched(url, { '*': 'allow', [pattern]: 'deny' })).toBe('allow')
  })
})

describe('every re-spelling', () => {
  const encode = (text: string, mask: readonly boolean[], depth: number) =>
    [...text]
      .map((character, at) => {
        if (!/[a-z]/i.test(character) || mask[at % mask.length] !== true) return character
        const hex = character.charCodeAt(0).toString(16)
        return `%${'25'.repeat(depth)}${hex}`
      })
      .join('')
  const name = fc.constantFrom('admin', 'users', 'api', 'a', 'delete')
  const separator = fc.constantFrom('/', '//', '/./', '/x/../', '/x/%2e%2e/', '%2f', '/;p=1/', '\\')
  const place = fc.array(name, { minLength: 1, maxLength: 3 })
  const spelling = fc.record({
    scheme: fc.constantFrom('https', 'HTTPS', 'hTTps'),
    host: fc.constantFrom(
      'shop.example',
      'SHOP.example',
      'shop.example.',
      'shop%2eexample',
      'ｓhop.example',
    ),
    port: fc.constantFrom('', ':443', ':'),
    separators: fc.array(separator, { minLength: 3, maxLength: 3 }),
    ends: fc.array(fc.constantFrom('', ';v=1', '%3bv'), { minLength: 3, maxLength: 3 }),
    mask: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    depth: fc.integer({ min: 0, max: 2 }),
    upper: fc.boolean(),
    fragment: fc.constantFrom('', '#', '#x/y'),
    swap: fc.boolean(),
  })

  test('WEB-02 GATE-06 of what a pattern denies stays denied', () => {
    fc.assert(
      fc.property(
        place,
        spelling,
        fc.constantFrom('', '?a=1&b=2'),
        fc.integer(),
        (names, how, query, pick) => {
          const path = names
            .map((each, at) => {
              const text = encode(how.upper ? each.toUpperCase() : each, how.mask, how.depth)
              return `${how.separators[at]}${text}${how.ends[at]}`
            })
            .join('')
          const asked = how.swap && query !== '' ? '?b=%32&a=1' : query
          const url = `${how.scheme}://${how.host}${how.port}${path.startsWith('%') ? '/' : ''}${path}${asked}${how.fragment}`
          const plain = `/${names.join('/')}`
          const patterns = [
            `https://shop.example${plain}${query}`,
            `https://*.example${plain}${query === '' ? '' : '?a=1*'}`,
            `https://shop.example/${names[0]}*`,
            `*/${names.at(-1)}*`,
          ]
          const pattern = patterns[Math.abs(pick) % patterns.length] ?? ''
          expect([url, pattern, fetched(url, { '*': 'allow', [pattern]: 'deny' })]).toEqual([
            url,
            pattern,
            'deny',
          ])
        },
      ),
      { numRuns: 1500 },
    )
  })

  test('WEB-02 has the same settled form, and reading any text as a URL does not throw', () => {
    const odd = fc.string({ unit: fc.constantFrom(...'/\\:@?#&;=%2.aA*ß。'), maxLength: 30 })
    fc.assert(
      fc.property(odd, (text) => {
        const url = `https://a.example/${text}`
        expect(toUrlForms(url).texts.length).toBeGreaterThan(0)
        expect(['allow', 'ask', 'deny']).toContain(fetched(url, { '*': 'allow', [url]: 'deny' }))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a rule that allows', () => {
  const docs = { 'https://example.com/docs/*': 'allow' }

  test.each([
    ['https://example.com/docs/a', 'allow'],
    ['HTTPS://EXAMPLE.com:443/docs/a', 'allow'],
    ['https://example.com/docs/a%20b', 'allow'],
    ['https://example.com/docs/..%2fadmin', 'ask'],
    ['https://example.com/docs/%252e%252e/admin', 'ask'],
    ['https://example.com/docs/..;/admin', 'ask'],
    ['https://example.com/docs/..%5cadmin', 'ask'],
    ['https://example.com./docs/a', 'ask'],
    ['https://example.com//docs/a', 'ask'],
    ['https://example.com/%64ocs/a', 'ask'],
  ])('GATE-06 reads only the normal form: %s is %s', (url, action) => {
    expect(fetched(url, docs)).toBe(action)
  })

  test('WEB-02 a host with a final dot is not the host that a rule names', () => {
    expect(fetched('https://example.com./', { 'example.com': 'allow' })).toBe('ask')
  })
})

describe('lists and other rules', () => {
  test('WEB-02 domain lists take names as people write them', () => {
    const web = {
      allowedDomains: [],
      deniedDomains: ['*.bücher.example', 'Evil.example.'],
      allowedPorts: [],
    }
    expect(checkUrl('https://a.xn--bcher-kva.example/', web).kind).toBe('refused')
    expect(checkUrl('https://a.bücher.example/', web).kind).toBe('refused')
    expect(checkUrl('https://evil.example./', web).kind).toBe('refused')
  })

  test('POL-01 args_match of a deny is tried on every spelling of a URL', () => {
    const rule = {
      effect: 'deny' as const,
      tool: 'fetch',
      paths: [],
      env: [],
      argsMatch: '/admin/',
    }
    const allow = { effect: 'allow' as const, tool: '*', paths: [], env: [] }
    const made = createPolicy({
      policy: { enabled: true, defaultEffect: 'deny', rules: [rule, allow] },
      authorization: { enabled: false, rules: [] },
    })
    if (made.kind !== 'policy') throw new Error(made.kind)
    const facts = { policy: made.policy }
    const judged = (url: string) =>
      judgeWith('fetch', { url }, { permissions: { '*': 'allow' }, facts }).action
    expect(judged('https://example.com/x')).toBe('allow')
    for (const path of ['/admin/', '/%61dmin/', '/x//%2561dmin;a/', '/%41DMIN/']) {
      expect(judged(`https://example.com${path}`)).toBe('deny')
    }
  })

  test('APPR-12 a quorum for a URL holds for every spelling of it', () => {
    const settings = {
      roles: { low: 'user', medium: 'user', high: 'user' },
      people: { low: 1, medium: 1, high: 1 },
      allowSelf: true,
      quorum: [{ tool: 'fetch', pattern: 'https://pay.example/send*', people: 2 }],
    } as const
    const peopleFor = (url: string) => {
      const call = { spec: specOf('fetch'), args: { url } }
      const subject = approvalSubject(call, { workspace })
      return approverRule({ tool: 'fetch', risk: 'low', subject }, settings).people
    }
    expect(peopleFor('https://pay.example/%73end?x')).toBe(2)
    expect(peopleFor('https://pay.example/list')).toBe(1)
  })
})
