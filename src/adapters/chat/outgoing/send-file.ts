import type { CardFile } from '../../../domain/approval.ts'
import type { DeliveryContext } from '../../../ports/chat.ts'
import { sha256 } from '../../../util/sha256.ts'
import type { Target } from './messenger.ts'

/** Sends the complete text of `about`, for example an approval, as a file. Throws if its digest differs from the message's. */
export async function sendFile<Drawn>(
  { messenger, place }: Target<Drawn>,
  file: CardFile,
  about: string,
  context: DeliveryContext,
): Promise<string> {
  const bytes = await context.readAttachment(file.id)
  if (sha256(bytes) !== file.sha256)
    throw new Error('the file of a message is not what the message says')
  const caption = `All of ${about}: ${file.bytes} bytes, ${file.lines} lines.\nSHA-256 ${file.sha256}`
  return messenger.sendFile(place, { name: plainName(file.name), bytes, caption })
}

/** A file name that is safe in a header, where clients insert it unescaped. */
function plainName(name: string): string {
  const plain = name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(-100)
  return plain === '' ? 'file.txt' : plain
}
