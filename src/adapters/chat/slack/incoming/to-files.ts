import { z } from 'zod'
import type { IncomingFile } from '../../../../ports/chat.ts'

/* Of a file object (https://docs.slack.dev/reference/objects/file-object) what is used here. */
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

/** By which a file is fetched later; `url` is missing where only `files.info` says it. */
export const fileReference = z.object({
  id: slackFile.shape.id,
  url: z.string().max(3_000).optional(),
  /** Its address is whatever the one who added it wrote. */
  isExternal: z.literal(true).optional(),
  mediaType: z.string().max(200).optional(),
  bytes: z.int().nonnegative().optional(),
})
export type FileReference = z.infer<typeof fileReference>

/** CHAT-07: the files of a message; those that are no files are left out. */
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

/** Of a file of another organisation an event may hold the id alone (https://docs.slack.dev/apis/slack-connect). */
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

/** https://docs.slack.dev/messaging/working-with-files: remote files, and what is linked from Google Drive and the like. */
function isKeptElsewhere({ mode, is_external: isExternal, mimetype }: SlackFile): boolean {
  return mode === 'external' || isExternal === true || mimetype === 'application/vnd.slack-remote'
}

export function nameOf({ name, title }: SlackFile): string | undefined {
  return [name, title].find((text) => text != null && text !== '') ?? undefined
}
