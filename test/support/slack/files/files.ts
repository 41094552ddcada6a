import type { World } from '../world.ts'

/** A file that the stand-in keeps. */
export interface StoredFile {
  /** `F…` */
  readonly id: string
  readonly userId: string
  readonly created: number
  readonly mimeType: string
  readonly name: string
  title: string
  bytes: Uint8Array
  /** Reserved, with bytes, or shown to people. */
  state: 'reserved' | 'uploaded' | 'complete'
  /** What it was announced to have. */
  readonly announcedBytes: number
  readonly altText: string | undefined
  readonly mustBeAskedFor: boolean
  readonly externalUrl: string | undefined
  deleted: boolean
  readonly channelIds: Set<string>
}

export function addFile(
  world: World,
  given: {
    readonly userId: string
    readonly name: string
    readonly bytes: Uint8Array
    readonly mimeType?: string
    readonly state?: StoredFile['state']
    readonly announcedBytes?: number
    readonly altText?: string | undefined
    readonly mustBeAskedFor?: boolean
    readonly externalUrl?: string
  },
): StoredFile {
  const file: StoredFile = {
    id: world.id('F'),
    userId: given.userId,
    created: Math.floor(world.now() / 1000),
    mimeType: given.mimeType ?? mimeTypeOf(given.name),
    name: given.name,
    title: given.name,
    bytes: given.bytes,
    state: given.state ?? 'complete',
    announcedBytes: given.announcedBytes ?? given.bytes.length,
    altText: given.altText,
    mustBeAskedFor: given.mustBeAskedFor ?? false,
    externalUrl: given.externalUrl,
    deleted: false,
    channelIds: new Set(),
  }
  world.files.set(file.id, file)
  return file
}

function mimeTypeOf(name: string): string {
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  const known: Readonly<Record<string, string>> = {
    txt: 'text/plain',
    md: 'text/plain',
    png: 'image/png',
    jpg: 'image/jpeg',
    pdf: 'application/pdf',
    json: 'application/json',
    csv: 'text/csv',
  }
  return known[extension] ?? 'application/octet-stream'
}

/** A file as events show it; of one of another organisation the id alone: https://docs.slack.dev/apis/slack-connect */
export function toEventFile(world: World, file: StoredFile): Record<string, unknown> {
  if (!file.mustBeAskedFor) return toApiFile(world, file)
  return { id: file.id, mode: 'file_access', file_access: 'check_file_info', created: 0, user: '' }
}

/** A file as files.info shows it. */
export function toApiFile(world: World, file: StoredFile): Record<string, unknown> {
  const { id, name, title, mimeType, bytes, userId, created } = file
  const extension = /\.([A-Za-z0-9]+)$/.exec(name)?.[1]?.toLowerCase()
  const path = `${world.app.teamId}-${id}`
  return {
    id,
    created,
    timestamp: created,
    name,
    title,
    mimetype: mimeType,
    filetype: extension ?? 'binary',
    pretty_type: extension?.toUpperCase() ?? 'Binary',
    user: userId,
    user_team: world.users.get(userId)?.teamId ?? world.app.teamId,
    editable: false,
    size: bytes.length,
    mode: 'hosted',
    is_external: file.externalUrl !== undefined,
    external_type: file.externalUrl === undefined ? '' : 'gdrive',
    is_public: false,
    public_url_shared: false,
    display_as_bot: false,
    username: '',
    url_private: file.externalUrl ?? `${world.url}/files-pri/${path}/${encodeURIComponent(name)}`,
    ...(file.externalUrl === undefined && {
      url_private_download: `${world.url}/files-pri/${path}/download/${encodeURIComponent(name)}`,
    }),
    permalink: `${world.url}/files/${userId}/${id}/${encodeURIComponent(name)}`,
    has_rich_preview: false,
    file_access: 'visible',
    channels: [...file.channelIds].filter((channel) => channel.startsWith('C')),
    ims: [...file.channelIds].filter((channel) => channel.startsWith('D')),
    ...(file.altText !== undefined && { alt_txt: file.altText }),
  }
}
