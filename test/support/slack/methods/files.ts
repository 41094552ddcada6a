import { randomBytes } from 'node:crypto'
import { readBlocks } from '../blocks/check-blocks.ts'
import { withIds } from '../blocks/with-ids.ts'
import { addFile, type StoredFile, toApiFile } from '../files/files.ts'
import { invalidArguments, Refusal } from '../limits/refusal.ts'
import { notifiedBy } from '../mentions.ts'
import { isRecord, type Params } from '../params.ts'
import { post } from '../posting.ts'
import { authorOf } from './chat.ts'
import type { Call } from './method.ts'
import { threadOf, visibleChannel } from './places.ts'

type Result = Readonly<Record<string, unknown>>

// https://docs.slack.dev/reference/methods/files.getUploadURLExternal
export function getUploadUrl(call: Call): Result {
  const { world, app, params } = call
  const name = params.required('filename')
  const length = params.integer('length')
  if (length === undefined || length <= 0) throw new Refusal('missing_argument')
  const altText = params.text('alt_txt') ?? params.text('alt_text')
  if ((altText?.length ?? 0) > 1000) throw new Refusal('alt_txt_too_large')
  const file = addFile(world, {
    userId: app.userId,
    name,
    bytes: new Uint8Array(),
    state: 'reserved',
    announcedBytes: length,
    altText,
  })
  const secret = randomBytes(12).toString('base64url')
  return { upload_url: `${world.url}/upload/v1/${file.id}/${secret}`, file_id: file.id }
}

/** Shows uploaded files in a channel, or only keeps them when none is named. */
export function completeUpload(call: Call): Result {
  const { world } = call
  const files = readFiles(call)
  if (call.params.has('channel_id')) share(call, files)
  for (const file of files) file.state = 'complete'
  return { files: files.map((file) => toApiFile(world, file)) }
}

function readFiles({ world, app, params }: Call): StoredFile[] {
  const format = () => invalidArguments('must be an array: files')
  const given = params.json('files', format)
  if (!Array.isArray(given) || given.length === 0) throw format()
  return given.map((each) => {
    const { id, title } = isRecord(each) ? each : {}
    const file = typeof id === 'string' ? world.files.get(id) : undefined
    if (file?.state !== 'uploaded' || file.userId !== app.userId) {
      throw new Refusal('file_not_found')
    }
    if (typeof title === 'string' && title !== '') file.title = title
    return file
  })
}

function share(call: Call, files: readonly StoredFile[]): void {
  const { world, app, params } = call
  const state = visibleChannel(call, 'channel_id')
  if (!state.members.has(app.userId)) throw new Refusal('not_in_channel')
  if (state.archived) throw new Refusal('posting_to_channel_denied')
  const threadTs = threadOf(state, call)
  const blocks = withIds(readBlocks(params) ?? [])
  const text = params.text('initial_comment') ?? ''
  post(world, state, {
    ...authorOf(call),
    text,
    blocks,
    files,
    threadTs,
    subtype: 'file_share',
    notified: notifiedBy({ text, blocks, bareNames: true }),
  })
}

export function filesInfo({ world, app, params }: Call): Result {
  const file = findFile(world.files, params)
  const shown = [...file.channelIds].some((id) => world.channels.get(id)?.members.has(app.userId))
  if (!shown && file.userId !== app.userId) throw new Refusal('file_not_found')
  return { file: toApiFile(world, file), comments: [], response_metadata: { next_cursor: '' } }
}

function findFile(files: ReadonlyMap<string, StoredFile>, params: Params): StoredFile {
  const file = files.get(params.required('file'))
  if (file === undefined || file.state !== 'complete') throw new Refusal('file_not_found')
  if (file.deleted) throw new Refusal('file_deleted')
  return file
}
