/** Largest file accepted from a person, in bytes: 20 MiB (CHAT-07). */
export const maxUploadBytes = 20 * 1024 * 1024

/** Formats a size limit for people: `larger than 20 MB`. */
export function largerThan(bytes: number): string {
  const megabyte = 1024 * 1024
  return `larger than ${bytes < megabyte ? `${bytes} bytes` : `${Math.floor(bytes / megabyte)} MB`}`
}

/**
 * State of an uploaded file. `waiting`: to be fetched from the platform; `kept`: stored, to be put into the
 * workspace; `refused`: not available; `told`: reported in the message that it came with, whatever its result.
 */
export type UploadState = 'waiting' | 'kept' | 'refused' | 'told'
