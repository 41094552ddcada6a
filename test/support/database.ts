import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { type SocketConnection, toUrl } from '../../src/db/embedded/socket-connection.ts'
import type { Schema } from '../../src/db/schema.ts'
import { newId } from '../../src/util/new-id.ts'
import { templateDatabase } from './template-database.ts'

/** A database of a test's own, with every migration run. Disposing drops it. */
export interface TestDatabase extends Database<Schema> {
  readonly connection: SocketConnection
  /** The same as a URL. */
  readonly url: string
}

/** Clones the template; tens of milliseconds. Disposing also ends connections that others have to the clone. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return create(templateDatabase)
}

/** A database with nothing in it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return create('template0')
}

async function create(template: string): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `test_${newId().replaceAll('-', '')}`
  await clone(server, name, template)
  const connection = { ...server, database: name }
  const database = openDatabase<Schema>(connection)
  return {
    ...database,
    connection,
    url: toUrl(connection),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await maintain(server, (query) => query(`drop database if exists ${name} with (force)`))
    },
  }
}

/** One clone at a time: PostgreSQL refuses to copy a database while another copy of it is being made. */
async function clone(server: SocketConnection, name: string, template: string): Promise<void> {
  await maintain(server, async (query) => {
    await query("select pg_advisory_lock(hashtext('clone'))")
    await query(`create database ${name} template ${template}`)
  })
}

type Query = (text: string) => Promise<unknown>

async function maintain(
  server: SocketConnection,
  work: (query: Query) => Promise<unknown>,
): Promise<void> {
  // A single connection, and closing it gives back the advisory lock.
  await using maintenance = openDatabase(server, { max: 1 })
  await work((text) => maintenance.pool.query(text))
}
