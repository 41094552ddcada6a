/** The migrated database that each test database is a clone of. Nobody can connect to it. */
export const templateDatabase = 'countersign_template'
