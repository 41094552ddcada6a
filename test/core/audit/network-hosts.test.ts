import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networkHosts } from '../../../src/core/audit/record.ts'
import { processorMs } from '../../support/processor-ms.ts'
import { anyCharacter } from '../../support/run/any-character.ts'

const bash = (command: string) => networkHosts('bash', JSON.stringify({ command }))

test.each([
  ['curl -s "https://API.Example.com:8443/v1?x=1" | jq .', ['api.example.com']],
  ['git clone ssh://git@git.example.org/a.git && cd a', ['git.example.org']],
  ['git clone git@github.com:owner/name.git', ['github.com']],
  ['scp a.txt ada@build.example.com:/tmp', ['build.example.com']],
  ['wget https://user:pass@a.example/x https://b.example/y', ['a.example', 'b.example']],
  ['curl http://[2001:db8::1]:80/', ['[2001:db8::1]']],
  ['python fetch.py --url=postgres://db.example.com/x', ['db.example.com']],
  ['npm install left-pad', []],
  ['cd app; /usr/bin/ssh "$HOST" true', []],
  ['git pull', []],
])('AUD-03 %s may reach the network', (command, hosts) => {
  expect(bash(command)).toEqual(hosts)
})

test.each(['ls -l', 'echo curling', 'git status', 'cat curl.txt', 'npm test', 'grep -r a@b .'])(
  'AUD-03 %s reaches none',
  (command) => expect(bash(command)).toBeUndefined(),
)

test('AUD-03 the web tools always do, other tools never', () => {
  const args = JSON.stringify({ url: 'https://example.com/a' })
  expect(networkHosts('fetch', args)).toEqual(['example.com'])
  expect(networkHosts('web_scrape', 'not JSON')).toEqual([])
  expect(networkHosts('write', args)).toBeUndefined()
})

test('REL-02 AUD-03 any arguments are read, long ones in time that grows with their length', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => void networkHosts('bash', text)),
  )
  for (const part of ['"', 'a://', 'a@', '/curl', 'a.', '-', 'git ', '://x@']) {
    const took = processorMs(() => bash(part.repeat(1_000_000 / part.length)))
    expect(took).toBeLessThan(10_000)
  }
})
