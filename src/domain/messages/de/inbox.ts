import type { Catalogue } from '../en/en.ts'
import { createFormat } from '../language.ts'

const { any, counted } = createFormat('de')

export const inbox: Catalogue['inbox'] = {
  skipped:
    'Deine Nachricht konnte nicht verarbeitet werden und wurde übersprungen. Betreiber finden Einzelheiten im Log. Spätere Nachrichten werden bearbeitet.',
  rateLimited: ({ perMinute }) =>
    `Du sendest mehr als ${perMinute} Nachrichten pro Minute. Nichts geht verloren: der Rest wird nacheinander bearbeitet. /stop und Antworten auf Genehmigungen warten nicht.`,
  queueAway:
    'Die Auftragswarteschlange ist nicht erreichbar. Deine Nachricht bleibt und wird bearbeitet, wenn sie wieder da ist.',
  toolsAway:
    'Werkzeuge können gerade nicht laufen, deshalb wird nichts beantwortet: die Sandbox funktioniert nicht. Deine Nachricht bleibt und wird bearbeitet, wenn sie wieder funktioniert. Für Betreiber: countersign doctor sagt, was fehlt.',
  notedForLater: 'Notiert. Sie bekommt einen eigenen Durchgang, wenn der laufende beendet ist.',
  noted: 'Notiert. Das Modell liest sie bei seinem nächsten Schritt.',
  mayNotAnswer: 'Du darfst das nicht beantworten.',
  buttonGone: 'Dieser Knopf gilt hier nicht mehr.',
  buttonsChanged: 'Die Knöpfe haben sich gerade geändert: Tippe noch einmal.',
  ended: 'Das ist schon beendet.',
  stopped: 'Gestoppt.',
  thanks: 'Danke.',
  answerGone: 'Diese Antwort ist nicht mehr gespeichert.',
  tooManyRatings: 'Zu viele Bewertungen für diese Antwort; deine letzte zählt.',
  tooManyRequests: 'Zu viele Anfragen. Versuch es in einer Minute noch einmal.',

  fileNotRead: 'Ich kann nur Text lesen; die Datei wurde nicht angenommen.',
  captionOnly: 'Ich lese die Beschriftung; die Datei selbst wurde nicht angenommen.',
  fileTooLarge: ({ name, limit }) =>
    `„${name}“ ist größer als ${limit} und wurde nicht angenommen.`,
  tooManyFiles: ({ name, others, files, megabytes }) =>
    `„${name}“${others === 0 ? ' wurde' : ` und ${others} weitere wurden`} nicht angenommen: höchstens ${files} Dateien oder ${megabytes} MB einer Person warten gleichzeitig. Sende den Rest, wenn diese gespeichert sind.`,
  fileNotTaken: ({ name, why }) => `„${name}“ wurde nicht angenommen: ${why}.`,
  notFetched: 'sie konnte nicht abgerufen werden',
  tooLarge: ({ limit }) => `sie ist größer als ${limit}`,
  fetchGivenUp: ({ platform }) => `${platform} hat sie zu lange nicht geliefert`,
  fetchRetrying: ({ name }) =>
    `„${name}“ kann gerade nicht abgerufen werden; es wird weiter versucht.`,
  bytes: ({ count }) => counted(count, 'Byte', 'Bytes'),
  megabytes: ({ count }) => `${count} MB`,

  whichFile: 'Welche Datei? /upload Pfad',
  ownFileProblems: {
    missing: 'es gibt keine solche Datei',
    forbidden: 'sie darf nicht gelesen werden',
    directory: 'das ist ein Verzeichnis',
    name_too_long: 'der Pfad ist zu lang',
    not_regular: 'das ist keine gewöhnliche Datei',
  },
  ownFileUnreadable: ({ code }) => `sie kann nicht gelesen werden (${code})`,

  fileRefusals: {
    none: 'Dateien können hier nicht abgerufen werden',
    gone: 'die Plattform hat sie nicht mehr',
    not_visible: 'die Plattform zeigt sie der App nicht',
    no_permission:
      'die App darf keine Dateien lesen: ihr fehlt der Scope files:read; Betreiber ergänzen ihn und installieren die App neu',
    external: 'sie liegt außerhalb der Plattform',
    local_server:
      'der Bot-API-Server läuft mit --local und gibt keine Dateien heraus; Betreiber können ihn ohne betreiben',
    refused: 'die Plattform hat sie nicht herausgegeben',
  },

  codeElsewhere: ({ platforms }) =>
    `Codes gelten in einem privaten Chat auf ${any(platforms)}: um dieses Konto zu verknüpfen, schreib hier /link und sende den Code dort.`,
}
