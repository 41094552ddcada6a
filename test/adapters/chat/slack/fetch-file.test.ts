import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createApi } from '../../../../src/adapters/chat/slack/api.ts'
import { createFetchFile, isOfSlack } from '../../../../src/adapters/chat/slack/fetch-file.ts'
import { toFiles } from '../../../../src/adapters/chat/slack/incoming/to-files.ts'

const token = 'xoxb-a-secret-token'
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

type Answer = (response: ServerResponse) => void

async function fetching(give: Answer, known: object = {}) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`)
    give(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const apiUrl = `${root}/api/`
  const client = createApi({ token, apiUrl, timeoutMs: 60_000 })
  const fetchFile = createFetchFile({ client, token, apiUrl })
  const reference = JSON.stringify({ id: 'F1', url: `${root}/files-pri/T1-F1/a.txt`, ...known })
  const fetched = await fetchFile(reference, { maxBytes: 10, signal: AbortSignal.timeout(60_000) })
  expect(JSON.stringify(fetched)).not.toContain('secret')
  return { fetched, seen }
}

const noScope = { kind: 'refused', why: 'no_permission' }
const page = (response: ServerResponse, text: string) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text)

describe('a file of Slack', () => {
  test('CHAT-07 is downloaded with the token', async () => {
    const { fetched, seen } = await fetching((response) => response.end('hello'))
    expect(fetched).toEqual({ kind: 'fetched', content: Buffer.from('hello') })
    expect(seen).toEqual([`/files-pri/T1-F1/a.txt Bearer ${token}`])
  })

  test('CHAT-07 THREAT-14 the token is not sent to the target of a redirect', async () => {
    const { fetched, seen } = await fetching((response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    expect(fetched).toMatchObject(noScope)
    expect(seen).toHaveLength(1)
  })

  test('CHAT-07 replaced by a sign-in page is refused, and a page that is the file itself is not', async () => {
    expect((await fetching((response) => page(response, '<html>'))).fetched).toMatchObject(noScope)
    const html = { mediaType: 'text/html', bytes: 6 }
    const other = await fetching((response) => page(response, '<html>!'), html)
    expect(other.fetched).toMatchObject(noScope)
    const same = await fetching((response) => page(response, '<html>'), html)
    expect(same.fetched).toMatchObject({ kind: 'fetched' })
  })

  test.each<[string, number, object]>([
    ['403', 403, noScope],
    ['404', 404, { kind: 'refused' }],
    ['429', 429, { kind: 'busy', afterMs: 7_000 }],
    ['502', 502, { kind: 'unreachable' }],
  ])('CHAT-07 that is answered %s', async (_, status, expected) => {
    const give: Answer = (response) => response.writeHead(status, { 'retry-after': '7' }).end()
    expect((await fetching(give)).fetched).toMatchObject(expected)
  })

  test.each([
    ['1e99', 60_000],
    ['86400', 60_000],
    ['0', 5_000],
    ['-3', 1_000],
    ['0.001', 1_000],
    ['soon', 5_000],
  ])('CHAT-07 THREAT-29 that is to wait for %j waits for %d ms', async (after, afterMs) => {
    const give: Answer = (response) => response.writeHead(429, { 'retry-after': after }).end()
    expect((await fetching(give)).fetched).toEqual({ kind: 'busy', afterMs })
  })

  test('CHAT-07 larger than allowed is cut off, or not requested', async () => {
    const give: Answer = (response) => response.end('x'.repeat(11))
    expect((await fetching(give)).fetched).toEqual({ kind: 'too_large' })
    const { fetched, seen } = await fetching(give, { bytes: 11 })
    expect([fetched, seen]).toEqual([{ kind: 'too_large' }, []])
  })

  test('CHAT-07 THREAT-25 with a URL that somebody else may have chosen is not downloaded', async () => {
    const known = { isExternal: true }
    const { fetched, seen } = await fetching((response) => response.end('x'), known)
    expect([fetched, seen]).toEqual([{ kind: 'refused', why: 'external' }, []])
    for (const given of [
      { mode: 'external' },
      { is_external: true },
      { mimetype: 'application/vnd.slack-remote' },
    ]) {
      const file = { id: 'F1', url_private: 'https://slack.com/api/auth.revoke', ...given }
      expect(JSON.parse(toFiles([file])[0]?.reference ?? '')).toMatchObject({ isExternal: true })
    }
  })

  test('CHAT-07 with a forged reference is refused', async () => {
    for (const url of ['https://evil.test/x', 'file:///etc/passwd', 'no address']) {
      const { fetched, seen } = await fetching((response) => response.end('x'), { url })
      expect([fetched, seen]).toEqual([{ kind: 'refused', why: 'external' }, []])
    }
  })
})

test.each([
  ['https://files.slack.com/files-pri/T1-F1/a', undefined, true],
  ['https://files.slack.com/files-tmb/T1-F1/a', undefined, true],
  ['https://files.slack.com/a', undefined, false],
  ['https://slack.com/files/a', undefined, false],
  ['https://slack.com/api/conversations.history?channel=C1', undefined, false],
  ['https://slack.com/api/chat.update?channel=C1&ts=1.1&text=x', undefined, false],
  ['https://files.slack.com/files-pri/../api/auth.revoke', undefined, false],
  ['https://stand-in.test/files/a', 'https://stand-in.test/api/', true],
  ['https://stand-in.test/api/auth.revoke', 'https://stand-in.test/api/', false],
  ['https://stand-in.test//API/auth.revoke', 'https://stand-in.test/api/', false],
  ['http://files.slack.com/files-pri/a', undefined, false],
  ['https://files.slack.com:8443/files-pri/a', undefined, false],
  ['https://files.slack.com.evil.test/files-pri/a', undefined, false],
  ['https://evil-files.slack.com/files-pri/a', undefined, false],
  ['https://a@files.slack.com/files-pri/a', undefined, false],
  ['https://files.slack.com\\@evil.test/a', undefined, false],
  ['https://files.slack-gov.com/files-pri/a', 'https://slack-gov.com/api/', true],
  ['https://files.slack.com/files-pri/a', 'https://slack-gov.com/api/', false],
])('CHAT-07 THREAT-14 whether %s is of Slack at %s: %s', (url, api, expected) => {
  expect(isOfSlack(url, api)).toBe(expected)
})
