import { z } from 'zod'
import type { IncomingFile } from '../../../../ports/chat.ts'
import type { TelegramMessage } from './update-schema.ts'

/* The fields used here of files of the Bot API (https://core.telegram.org/bots/api#document and following). */
const file = z.object({
  file_id: z.string().min(1).max(2_000),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
  file_size: z.int().nonnegative().optional(),
})
const photo = z.array(file.extend({ width: z.int().optional(), height: z.int().optional() })).min(1)

type TelegramFile = z.infer<typeof file>

/** Extensions for files without a name. A message with an animation also has it as `document`. */
const extensions = {
  document: '',
  video: '.mp4',
  audio: '.mp3',
  voice: '.ogg',
  video_note: '.mp4',
  animation: '.mp4',
} as const
const kinds = Object.keys(extensions) as readonly (keyof typeof extensions)[]

/** The file of a message (CHAT-07); undefined if it has none of a supported kind. */
export function toFile(message: TelegramMessage): IncomingFile | undefined {
  for (const kind of kinds) {
    const parsed = file.safeParse(message[kind])
    if (parsed.success) return toIncomingFile(parsed.data, kind, message, extensions[kind])
  }
  const sizes = photo.safeParse(message.photo)
  const largest = sizes.success ? sizes.data.toSorted(bySize).at(-1) : undefined
  if (largest === undefined) return undefined
  return toIncomingFile({ mime_type: 'image/jpeg', ...largest }, 'photo', message, '.jpg')
}

function toIncomingFile(
  { file_id: reference, file_name: name, mime_type: mediaType, file_size: bytes }: TelegramFile,
  kind: string,
  { date }: TelegramMessage,
  extension: string,
): IncomingFile {
  return {
    name: name ?? `${kind.replace('_', '-')}-${stamp(date)}${extension}`,
    reference,
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(bytes === undefined ? {} : { bytes }),
  }
}

type Size = z.infer<typeof photo>[number]

function bySize(a: Size, b: Size): number {
  return pixels(a) - pixels(b)
}

function pixels({ width = 0, height = 0 }: Size): number {
  return width * height
}

/** UTC time of Unix seconds as `2026-11-23-074413`. */
function stamp(seconds = 0): string {
  const time = new Date(seconds * 1000)
  if (seconds === 0 || Number.isNaN(time.getTime())) return 'undated'
  return time.toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')
}
