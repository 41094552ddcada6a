import { expect, test } from 'vitest'
import { setUp } from '../set-up.ts'

const bytes = new TextEncoder().encode('one\ntwo\n')

test('the app sends a file, which people see in the thread', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  const asked = general.say(ada, 'send it')
  await web.filesUploadV2({
    channel_id: general.id,
    thread_ts: asked,
    initial_comment: 'here',
    file: Buffer.from(bytes),
    filename: 'out.txt',
    title: 'Output',
  })
  expect(general.thread(asked)[1]).toMatchObject({
    text: 'here',
    from: { kind: 'app' },
    files: [{ name: 'out.txt', title: 'Output', mimeType: 'text/plain' }],
  })
  expect(general.thread(asked)[1]?.files[0]?.bytes).toEqual(bytes)
  expect(slack.files).toHaveLength(1)
})

test('a file of a person is in the event, and is given to the app alone', async () => {
  await using at = await setUp()
  const { slack, web, ada, general } = at
  general.say(ada, 'look', { files: [{ name: 'in.txt', bytes }] })
  const [event] = slack.eventsOf('message')
  expect(event).toMatchObject({
    subtype: 'file_share',
    files: [{ name: 'in.txt', size: 8, mimetype: 'text/plain' }],
  })
  const files = event?.['files']
  const [file] = files as readonly { readonly id: string; readonly url_private_download: string }[]
  const get = async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(String(file?.url_private_download), { headers })
    return [response.status, response.headers.get('content-type'), await response.text()]
  }
  expect(await get(slack.botToken)).toEqual([200, 'text/plain', 'one\ntwo\n'])
  for (const token of [undefined, 'xoxb-wrong', slack.appToken]) {
    expect((await get(token)).slice(0, 2)).toEqual([200, 'text/html; charset=utf-8'])
  }
  expect(await web.files.info({ file: String(file?.id) })).toMatchObject({ file: { id: file?.id } })
  slack.deleteFile(String(file?.id))
  expect((await get(slack.botToken))[0]).toBe(404)
})

test('an upload that is empty, of another length, unknown or not there is refused', async () => {
  await using at = await setUp()
  const { general, call } = at
  const ask = async (params: object) => await call('files.getUploadURLExternal', { ...params })
  expect(await ask({ filename: 'x', length: 0 })).toMatchObject({ error: 'missing_argument' })
  const { upload_url, file_id } = await ask({ filename: 'x', length: 5 })
  const complete = async (id: unknown) =>
    (await call('files.completeUploadExternal', { files: [{ id }], channel_id: general.id })).error
  expect(await complete(file_id)).toBe('file_not_found')
  expect((await fetch(String(upload_url), { method: 'POST', body: bytes })).status).toBe(400)
  expect((await fetch(String(upload_url), { method: 'POST', body: 'hello' })).status).toBe(200)
  expect(await complete('F0NOWHERE')).toBe('file_not_found')
  expect(await complete(file_id)).toBeUndefined()
  expect(await complete(file_id)).toBe('file_not_found')
})

test('a reaction stands once', async () => {
  await using at = await setUp()
  const { web, ada, general, call, slack } = at
  const ts = general.say(ada, 'x')
  await web.reactions.add({ channel: general.id, timestamp: ts, name: 'eyes' })
  expect(general.message(ts).reactions).toEqual([{ name: 'eyes', users: [slack.botUserId] }])
  const again = { channel: general.id, timestamp: ts, name: 'eyes' }
  expect(await call('reactions.add', again)).toMatchObject({ error: 'already_reacted' })
})
