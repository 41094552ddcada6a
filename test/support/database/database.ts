import { inject } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { type SocketConnection, toUrl } from '../../../src/db/embedded/socket-directory.ts'
import type { Schema } from '../../../src/db/schema.ts'
import { newId } from '../../../src/util/ids.ts'
import { templateDatabase, usedTemplateDatabase } from './template-database.ts'

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

/** The same, for a test that starts the whole product over it. */
export async function createUsedDatabase(): Promise<TestDatabase> {
  return create(usedTemplateDatabase)
}

/** A database with nothing in it. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return create('template0')
}

async function create(template: string): Promise<TestDatabase> {
  const server = inject('postgres')
  const name = `test_${newId().replaceAll('-', '')}`
  const { pool } = maintenanceOf(server)
  // Copying files takes a third of the processor time of writing each page to the log.
  await pool.query(`create database ${name} template ${template} strategy file_copy`)
  const connection = { ...server, database: name }
  const database = openDatabase<Schema>(connection)
  return {
    ...database,
    connection,
    url: toUrl(connection),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]()
      await pool.query(`drop database if exists ${name} with (force)`)
    },
  }
}

let maintenance: Database<unknown> | undefined

/** One connection for all tests of this process: each costs the server a process. */
function maintenanceOf(server: SocketConnection): Database<unknown> {
  maintenance ??= openDatabase(server, { max: 1 })
  return maintenance
}
