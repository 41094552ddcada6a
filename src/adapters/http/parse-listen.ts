/** `127.0.0.1:8420` or `[::1]:8420`; throws on anything else. */
export function parseListen(listen: string): { readonly host: string; readonly port: number } {
  const parts = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/iu.exec(listen)
  const host = parts?.[1] ?? parts?.[2]
  const port = Number(parts?.[3])
  if (host === undefined || !(port <= 65_535)) {
    throw new Error(`not an address to listen on, such as 127.0.0.1:8420: ${listen}`)
  }
  return { host, port }
}
