import type { File } from 'grammy/types'
import { badRequest } from '../limits/refusal.ts'
import type { Call } from './method.ts'

const maxDownloadBytes = 20 * 1024 * 1024

export function getFile({ world, params }: Call): File {
  const id = params.text('file_id')
  if (id === undefined) throw badRequest('file_id not specified')
  const file = world.files.get(id)
  if (file === undefined) throw badRequest('invalid file_id')
  if (file.bytes.length > maxDownloadBytes) throw badRequest('file is too big')
  return {
    file_id: file.id,
    file_unique_id: file.uniqueId,
    file_size: file.bytes.length,
    file_path: file.path,
  }
}
