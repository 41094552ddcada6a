import type { Catalogue } from '../en/en.ts'

export const people: Catalogue['people'] = {
  inviteOnly:
    'Este bot solo atiende a personas invitadas. Para entrar, pide un código de emparejamiento a quien lo opera y envíalo aquí.',
  codeInvalid:
    'Ese código no es válido. Un código sirve una vez y unos minutos, y al día solo se comprueban unos pocos intentos. Pide otro a quien opera el bot y envíalo exactamente como lo recibiste.',
  notACode: 'Si no era un código, añade una palabra.',
  privateOnly: 'Los códigos de emparejamiento solo valen en un chat privado conmigo.',
  codeVoid: 'Aquí otros pudieron leer este, así que ya no vale: pide otro.',
  codeGarbled:
    'Eso no es un código de emparejamiento. Uno es como AB2C-D3EF-G4HJK: envíalo exactamente como lo recibiste.',
  codeUsed: 'Ya has usado este código. Sirve una vez.',
  abilities: {
    user: 'hablar con este bot',
    approver: 'hablar con este bot y responder a las aprobaciones de todos',
    operator:
      'hablar con este bot, responder a las aprobaciones de todos, leer la auditoría de todos, levantar presupuestos y elegir workers',
  },
  welcome: ({ name, abilities, role }) =>
    `Hola, ${name}. Ahora puedes ${abilities} (rol: ${role}). /help lista los comandos.`,

  linkPrivately:
    'Escríbeme /link en un chat privado: quien lea el código podría hacerse pasar por ti.',
  linkCode: ({ minutes }) =>
    `Envíame este código desde tu otra cuenta, en un chat privado, después de /link, en ${minutes} minutos. Allí pregunto si es lo que quieres. Sirve una vez.`,
  linkMeaning:
    'Desde entonces ambas cuentas son una persona: cualquiera responde por las dos, cuentan una vez, y cada una conserva su rol.',
  linkSecret:
    'No se lo muestres a nadie: quien lo envíe puede hacerse pasar por ti. Solo quien opera el bot puede deshacer un vínculo.',
  linkedTo: ({ accounts }) => `Ya vinculadas: ${accounts}.`,
  linkOwnAccount:
    'Esta es la cuenta para la que se hizo el código; hay que enviarlo desde la otra. Ya no vale; /link crea otro.',
  alreadyLinked: 'Estas dos cuentas ya están vinculadas.',
  linkExplained:
    'Este código vincula dos cuentas. Aún no hay nada vinculado.\nCon él, esta cuenta y aquella para la que se hizo serían para mí una persona: quien tenga aquella respondería a tus aprobaciones como tú.\n¿Te lo dio alguien, o te pidió que lo enviaras? Entonces no sigas: podría hacerse pasar por ti.\n¿Lo creaste tú, con /link desde tu otra cuenta? Entonces escribe:',
  linkConfirm: ({ name, platform, id }) =>
    `Este código lo creó ${name} en ${platform} (${id}). ¿Es tuya esa cuenta?\nVinculadas, ambas son para mí una persona: cualquiera responde a las aprobaciones de las dos y aprueba por las dos, y cuentan una vez. Solo quien opera el bot puede deshacerlo.\nSi no es tuya, no sigas: quien la tenga podría hacerse pasar por ti. Si lo es, escribe:`,
  linkedHere: ({ name, id, command }) =>
    `Vinculadas. Esta cuenta y la de ${name} (${id}) son para mí una persona desde ahora: cualquiera responde por las dos, cuentan una vez, y cada una conserva su rol. Quien opera el bot puede deshacerlo: ${command}`,
  linkedThere: ({ name, id, command }) =>
    `Se usó tu código. Esta cuenta y la de ${name} (${id}) son para mí una persona desde ahora: cualquiera responde por las dos, cuentan una vez, y cada una conserva su rol. Si no eres tú, avisa enseguida a quien opera el bot. Lo deshace con: ${command}`,
  slashHint: ({ platform }) => `En ${platform}, empieza con un espacio.`,
  terminal: 'la terminal',
}
