import { countOpenUploads } from '../../../db/upload/open-uploads.ts'
import { largerThan, maxUploadBytes } from '../../../domain/upload.ts'
import { toUploadName } from '../../../domain/upload-name.ts'
import type { IncomingFile } from '../../../ports/chat.ts'
import type { IntakeContext } from '../intake-context.ts'

/** What of one person may wait, to be fetched or to be put into a workspace. */
const mostOpen = { files: 20, bytes: 100 * 1024 * 1024 } as const

export interface FittingFiles {
  readonly files: readonly IncomingFile[]
  /** What the person is to be told of the others. */
  readonly remarks: readonly string[]
}

/** CHAT-07: the files that may be taken; of one that is too large, or too many, nothing is fetched. */
export async function fittingFiles(
  { kernel, db, incoming }: IntakeContext,
  sent: readonly IncomingFile[],
): Promise<FittingFiles> {
  if (sent.length === 0) return { files: [], remarks: [] }
  const { uploadBytes = maxUploadBytes } = kernel.settings
  const isTooLarge = ({ bytes = 0 }: IncomingFile) => bytes > uploadBytes
  const tooLarge = sent.filter(isTooLarge)
  const open = await countOpenUploads(db, incoming.from.id, uploadBytes)
  const files: IncomingFile[] = []
  let { bytes } = open
  for (const file of sent.filter((one) => !isTooLarge(one))) {
    const more = bytes + (file.bytes ?? uploadBytes)
    if (open.files + files.length >= mostOpen.files || more > mostOpen.bytes) continue
    bytes = more
    files.push(file)
  }
  const tooMany = sent.filter((file) => !isTooLarge(file) && !files.includes(file))
  return {
    files,
    remarks: [
      ...tooLarge.map(
        ({ name }) => `“${toUploadName(name)}” is ${largerThan(uploadBytes)} and was not taken.`,
      ),
      ...(tooMany.length === 0 ? [] : [tellTooMany(tooMany)]),
    ],
  }
}

function tellTooMany([first, ...others]: readonly IncomingFile[]): string {
  const more = others.length === 0 ? ' was' : ` and ${others.length} more were`
  const megabytes = mostOpen.bytes / 1024 / 1024
  return `“${toUploadName(first?.name ?? '')}”${more} not taken: at most ${mostOpen.files} files, or ${megabytes} MB, of one person wait at a time. Send the rest when those are saved.`
}
