import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Seals a command's `response_url`, which is as good as a token for its 30 minutes, for whichever gateway answers. */
export interface ReplyPaths {
  /** Undefined: it is no address of Slack's. */
  seal(url: string, whose: PathOwner): string | undefined
  /** Undefined: it was sealed for somebody else or another place, or by another app. */
  open(sealed: string, whose: PathOwner): string | undefined
}

/** For whom a path is, and where: it opens for nothing else. */
export interface PathOwner {
  readonly place: string
  readonly callerId: string
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const slackHost = /(?:^|\.)slack(?:-gov)?\.com$/

/** The key is of the bot token, which every gateway of the app has and the database has not. */
export function createReplyPaths(token: string, apiUrl?: string): ReplyPaths {
  const key = Buffer.from(hkdfSync('sha256', token, '', 'countersign slack response_url', 32))
  return {
    seal: (url, whose) => {
      if (!isSlacks(url, apiUrl)) return undefined
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(toAad(whose))
      const sealed = Buffer.concat([cipher.update(url, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    },
    open: (sealed, whose) => {
      try {
        const bytes = Buffer.from(sealed, 'base64url')
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), {
          authTagLength: tagBytes,
        })
          .setAAD(toAad(whose))
          .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
        const rest = bytes.subarray(nonceBytes + tagBytes)
        const url = Buffer.concat([decipher.update(rest), decipher.final()]).toString('utf8')
        return isSlacks(url, apiUrl) ? url : undefined
      } catch {
        return undefined
      }
    },
  }
}

function toAad({ place, callerId }: PathOwner): Buffer {
  return Buffer.from(JSON.stringify([place, callerId]))
}

/** By HTTPS to Slack, or to the very server that is configured instead of it. */
function isSlacks(url: string, apiUrl: string | undefined): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return false
  if (apiUrl !== undefined && parsed.origin === URL.parse(apiUrl)?.origin) return true
  return parsed.protocol === 'https:' && parsed.port === '' && slackHost.test(parsed.hostname)
}
