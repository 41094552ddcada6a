/** The largest file that is taken from a person, in bytes: 20 MiB (CHAT-07). */
export const maxUploadBytes = 20 * 1024 * 1024

/** What is larger, as people say it: `larger than 20 MB`. */
export function largerThan(bytes: number): string {
  const megabyte = 1024 * 1024
  return `larger than ${bytes < megabyte ? `${bytes} bytes` : `${Math.floor(bytes / megabyte)} MB`}`
}

/**
 * Where a file from a person is: to be fetched from its platform; its bytes are kept, to be put into the workspace; never to be had;
 * and told of in the message that it came with, whatever became of it.
 */
export type UploadState = 'waiting' | 'kept' | 'refused' | 'told'
