import { z } from 'zod'
import type { IncomingFile } from '../../../../ports/chat.ts'

/* The fields used here of a file object (https://docs.slack.dev/reference/objects/file-object). */
const nullishText = z.string().nullish().catch(undefined)

export const slackFile = z.object({
  id: z.string().regex(/^F[A-Z0-9]{1,40}$/),
  name: nullishText,
  title: nullishText,
  mimetype: nullishText,
  size: z.int().nonnegative().nullish().catch(undefined),
  mode: nullishText,
  is_external: z.boolean().nullish().catch(undefined),
  file_access: nullishText,
  url_private: nullishText,
  url_private_download: nullishText,
})
export type SlackFile = z.infer<typeof slackFile>

/** Reference by which a file is fetched later; without `url`, `files.info` must be asked. */
export const fileReference = z.object({
  id: slackFile.shape.id,
  url: z.string().max(3_000).optional(),
  /** Untrusted: the person who added the file chose it. */
  isExternal: z.literal(true).optional(),
  mediaType: z.string().max(200).optional(),
  bytes: z.int().nonnegative().optional(),
})
export type FileReference = z.infer<typeof fileReference>

/** The files of a message (CHAT-07); unreadable entries are dropped. */
export function toFiles(files: readonly unknown[]): readonly IncomingFile[] {
  return files.flatMap((given) => {
    const parsed = slackFile.safeParse(given)
    return parsed.success ? [toIncomingFile(parsed.data)] : []
  })
}

function toIncomingFile(file: SlackFile): IncomingFile {
  const { mediaType, bytes } = toReference(file)
  return {
    name: nameOf(file) ?? file.id,
    reference: JSON.stringify(toReference(file)),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(bytes === undefined ? {} : { bytes }),
  }
}

/**
 * Reference of a file. For a file of another organisation an event may contain only the id
 * (https://docs.slack.dev/apis/slack-connect).
 */
export function toReference(file: SlackFile): FileReference {
  const { id, mimetype, size } = file
  const url = file.url_private_download ?? file.url_private ?? undefined
  const isShown = file.file_access !== 'check_file_info' && url !== undefined && url.length <= 3_000
  return {
    id,
    ...(isShown ? { url } : {}),
    ...(isKeptElsewhere(file) && { isExternal: true as const }),
    ...(mimetype == null || mimetype.length > 200 ? {} : { mediaType: mimetype }),
    ...(size == null ? {} : { bytes: size }),
  }
}

/** Remote files, and files linked from Google Drive and similar (https://docs.slack.dev/messaging/working-with-files). */
function isKeptElsewhere({ mode, is_external: isExternal, mimetype }: SlackFile): boolean {
  return mode === 'external' || isExternal === true || mimetype === 'application/vnd.slack-remote'
}

export function nameOf({ name, title }: SlackFile): string | undefined {
  return [name, title].find((text) => text != null && text !== '') ?? undefined
}
