/** A file as it was uploaded. */
export interface Upload {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Uint8Array
}

export interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, Upload>
}

/** Reads a multipart/form-data body. Undefined when it is not well formed. */
export function parseMultipart(body: Buffer, contentType: string): MultipartForm | undefined {
  const boundary = /boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType)
  const mark = boundary?.[1] ?? boundary?.[2]?.trim()
  if (mark === undefined) return undefined
  const parts = partsOf(body, mark)
  if (parts === undefined) return undefined
  const fields = new Map<string, string>()
  const files = new Map<string, Upload>()
  for (const part of parts) {
    const read = readPart(part)
    if (read === undefined) return undefined
    if (read.upload === undefined) fields.set(read.name, read.content.toString('utf8'))
    else files.set(read.name, read.upload)
  }
  return { fields, files }
}

function partsOf(body: Buffer, mark: string): Buffer[] | undefined {
  const delimiter = Buffer.from(`\r\n--${mark}`)
  const whole = Buffer.concat([Buffer.from('\r\n'), body])
  const parts: Buffer[] = []
  let at = whole.indexOf(delimiter)
  while (at >= 0) {
    const start = at + delimiter.length
    if (whole.subarray(start, start + 2).toString() === '--') return parts
    const end = whole.indexOf(delimiter, start)
    if (end < 0) return undefined
    parts.push(whole.subarray(start + 2, end))
    at = end
  }
  return undefined
}

function readPart(
  part: Buffer,
): { name: string; content: Buffer; upload: Upload | undefined } | undefined {
  const end = part.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const headers = part.subarray(0, end).toString('utf8')
  const content = part.subarray(end + 4)
  const name = attribute(headers, 'name')
  if (name === undefined) return undefined
  const fileName = attribute(headers, 'filename')
  if (fileName === undefined) return { name, content, upload: undefined }
  const mimeType = /^content-type:\s*(.+)$/im.exec(headers)?.[1]?.trim()
  return {
    name,
    content,
    upload: {
      name: fileName,
      mimeType: mimeType ?? 'application/octet-stream',
      bytes: new Uint8Array(content),
    },
  }
}

/** An attribute of content-disposition, quoted or up to the next semicolon. */
function attribute(headers: string, name: string): string | undefined {
  const found = new RegExp(`[;\\s]${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\r\\n]*))`, 'i').exec(
    headers,
  )
  return found?.[1]?.replaceAll(/\\(.)/g, '$1') ?? found?.[2]
}
