import type { SeenMessage } from '../../test/support/telegram/seen.ts'
import { escaped } from './escaped.ts'
import type { Shot } from './telegram-scenes.ts'

const style = `
  body { margin: 0; padding: 28px; background: #dfe7ec; font: 15px/1.4 "DejaVu Sans", sans-serif; color: #111; width: 1184px }
  main { columns: 3; column-gap: 22px }
  figure { margin: 0 0 22px; break-inside: avoid }
  figcaption { color: #52626d; font-size: 13px; margin: 0 0 6px 4px }
  .bubble { background: #fff; border-radius: 12px; padding: 9px 12px; box-shadow: 0 1px 1px #0002; overflow-wrap: anywhere; white-space: pre-wrap }
  pre { background: #f1f4f6; border-left: 3px solid #6f9fc8; border-radius: 5px; margin: 5px 0; padding: 6px 8px; white-space: pre-wrap; font: 13px/1.45 "DejaVu Sans Mono", monospace }
  blockquote { margin: 5px 0 0; padding: 2px 8px; border-left: 3px solid #6f9fc8; background: #f1f4f6; border-radius: 4px; max-height: 63px; overflow: hidden }
  code { font: 13px "DejaVu Sans Mono", monospace; color: #35618c }
  pre code { color: #222 }
  .row { display: flex; gap: 5px; margin-top: 5px }
  .row span { flex: 1; text-align: center; background: #8fa6b6; color: #fff; border-radius: 8px; padding: 8px 4px; font-size: 14px }
  .file { display: flex; gap: 10px; align-items: center; margin-bottom: 6px; font-size: 14px }
  .file i { width: 38px; height: 38px; border-radius: 50%; background: #4f9bd8; color: #fff; display: grid; place-items: center; font-style: normal }`

/** A page that shows what was received as a client of Telegram would. Its HTML was checked by the stand-in. */
export function toTelegramPage(shots: readonly Shot[]): string {
  const figures = shots.map(
    ({ title, message }) =>
      `<figure><figcaption>${title}</figcaption><div class="bubble">${fileOf(message)}${(message.html ?? escaped(message.text)).replaceAll('</pre>\n', '</pre>')}</div>${buttonsOf(message)}</figure>`,
  )
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><main>${figures.join('')}</main>`
}

function fileOf({ document }: SeenMessage): string {
  if (document === undefined) return ''
  return `<div class="file"><i>↓</i>${escaped(document.name)}, ${document.bytes.length} bytes</div>`
}

function buttonsOf({ buttons }: SeenMessage): string {
  return buttons
    .map(
      (row) =>
        `<div class="row">${row.map(({ text }) => `<span>${escaped(text)}</span>`).join('')}</div>`,
    )
    .join('')
}
