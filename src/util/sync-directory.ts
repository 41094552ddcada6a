import { open } from 'node:fs/promises'

/** Waits until the names in a directory have reached the disk: a file that was renamed into it is there after a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
