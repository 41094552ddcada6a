import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts a command's `response_url`, which acts as a token for 30 minutes, so that any gateway can reply. */
export interface ReplyPaths {
  /** Undefined if the URL is not Slack's. */
  seal(url: string, owner: PathOwner): string | undefined
  /** Undefined if it was sealed for another person, address or app. */
  open(sealed: string, owner: PathOwner): string | undefined
}

/** Person and address for which a path can be opened. */
export interface PathOwner {
  readonly place: string
  readonly callerId: string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const slackHost = /(?:^|\.)slack(?:-gov)?\.com$/

/** The key is derived from the bot token, which every gateway has but the database does not. */
export function createReplyPaths(token: string, apiUrl?: string): ReplyPaths {
  const key = Buffer.from(hkdfSync('sha256', token, '', 'countersign slack response_url', 32))
  return {
    seal: (url, owner) => {
      if (!isSlackUrl(url, apiUrl)) return undefined
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(toAad(owner))
      const sealed = Buffer.concat([cipher.update(url, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open: (sealed, owner) => {
      try {
        const bytes = Buffer.from(sealed, 'base64url')
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(toAad(owner))
          .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
        const rest = bytes.subarray(nonceBytes + tagBytes)
        const url = Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8')
        return isSlackUrl(url, apiUrl) ? url : undefined
      } catch {
        return undefined
      }
    },
  }
}

function toAad({ place, callerId }: PathOwner): Buffer {
  return Buffer.from(JSON.stringify([place, callerId]))
}

/** Whether the URL is HTTPS at Slack, or on the server configured instead. */
function isSlackUrl(url: string, apiUrl: string | undefined): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false
  if (apiUrl !== undefined && parsed.origin === URL.parse(apiUrl)?.origin) return true
  return parsed.protocol === 'https:' && parsed.port === '' && slackHost.test(parsed.hostname)
}
