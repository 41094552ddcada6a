import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReplyPaths } from '../../../../src/adapters/chat/slack/reply-paths.ts'

const url = 'https://hooks.slack.com/commands/T0TEAM0001/123/secret'
const whose = { place: 'C0GENERAL1', callerId: 'slack:T0TEAM0001:U0ADA00001' }

test('SLACK-01 THREAT-8 a path is opened by another gateway of the same app, for the same person and address only', () => {
  const sealed = createReplyPaths('xoxb-1').seal(url, whose) ?? ''
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('secret')
  expect(createReplyPaths('xoxb-1').open(sealed, whose)).toBe(url)
  expect(createReplyPaths('xoxb-1').open(sealed, { ...whose, place: 'C0GENERAL2' })).toBeUndefined()
  const other = { ...whose, callerId: 'slack:T0TEAM0001:U0BOB00001' }
  expect(createReplyPaths('xoxb-1').open(sealed, other)).toBeUndefined()
  expect(createReplyPaths('xoxb-2').open(sealed, whose)).toBeUndefined()
  expect(createReplyPaths('xoxb-1').seal(url, whose)).not.toBe(sealed)
})

test('THREAT-8 only URLs of Slack, or of the server configured instead, are sealed', () => {
  const paths = createReplyPaths('xoxb-1')
  const gov = 'https://hooks.slack-gov.com/commands/1'
  expect(paths.seal(gov, whose)).toBeDefined()
  for (const odd of [
    '',
    'nonsense',
    'http://hooks.slack.com/commands/1',
    'https://hooks.slack.com:8443/commands/1',
    'https://hooks.slack.com.evil.example/1',
    'https://evilslack.com/1',
    'https://slack.com@evil.example/1',
    'https://user:pass@hooks.slack.com/1',
    'https://127.0.0.1/1',
    'file:///etc/passwd',
  ])
    expect(paths.seal(odd, whose), odd).toBeUndefined()
  const own = createReplyPaths('xoxb-1', 'http://127.0.0.1:8080/api/')
  expect(own.seal('http://127.0.0.1:8080/commands/1', whose)).toBeDefined()
  expect(own.seal('http://127.0.0.1:8081/commands/1', whose)).toBeUndefined()
})

test('REL-02 anything that was not sealed is not opened, without an error', () => {
  const paths = createReplyPaths('xoxb-1')
  const sealed = paths.seal(url, whose) ?? ''
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (odd) => {
      expect(paths.open(odd, whose)).toBeUndefined()
    }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 0, max: sealed.length - 2 }), (at) => {
      const changed = sealed[at] === 'A' ? 'B' : 'A'
      expect(
        paths.open(sealed.slice(0, at) + changed + sealed.slice(at + 1), whose),
      ).toBeUndefined()
      expect(paths.open(sealed.slice(0, at), whose)).toBeUndefined()
    }),
  )
})
