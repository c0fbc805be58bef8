import type { Phrases } from '#platform/operation.ts'

export const authPhrases: Phrases = {
  list_api_keys: {
    en: 'which keys are in use; show all access tokens; when was a key last used; what credentials have we handed out; unused keys; token inventory',
    de: 'welche Schlüssel gibt es; alle Zugangsschlüssel anzeigen; wann wurde ein Schlüssel zuletzt benutzt',
    fr: "quelles clés existent; afficher les jetons d'accès; quand une clé a-t-elle servi en dernier",
    es: 'qué claves existen; mostrar los tokens de acceso; cuándo se usó una clave por última vez',
  },
  create_api_key: {
    en: 'make a key for an agent; a program needs access; new token for an integration; credential that acts as a person; bot password; issue API secret, bearer token with few roles',
    de: 'einen Schlüssel für einen Agenten erzeugen; ein Programm braucht Zugang; neues Zugangstoken ausstellen',
    fr: "créer une clé pour un agent; un programme a besoin d'un accès; nouveau jeton pour une intégration",
    es: 'crear una clave para un agente; un programa necesita acceso; token nuevo para una integración',
  },
  revoke_api_key: {
    en: 'a key leaked, end it now; disable a token at once; delete an API key; stop an integration from calling; throw an access key away; invalidate credential',
    de: 'ein Schlüssel ist bekannt geworden, sofort sperren; Zugangsschlüssel widerrufen; API-Key löschen',
    fr: "une clé a fuité, la désactiver tout de suite; révoquer un jeton; supprimer une clé d'API",
    es: 'se filtró una clave, anularla ya; revocar un token; eliminar una clave de API',
  },
  rotate_api_key: {
    en: 'replace the secret of a key; new password for an integration while the old one still works for a while; renew a token; change the key without downtime; secret rotation, credential rollover with a grace period',
    de: 'Geheimnis eines Schlüssels austauschen; Schlüssel erneuern, alter gilt noch kurz; neues Token für dieselbe Anwendung',
    fr: "remplacer le secret d'une clé; renouveler un jeton, l'ancien reste valable un moment; rotation de clé",
    es: 'sustituir el secreto de una clave; renovar un token y que el viejo valga un rato; rotación de clave',
  },
  update_api_key: {
    en: 'change the roles of a key; let a key expire later; allow only our office address for a key; rename a token; restrict a key to IP addresses; extend the expiry date of a credential; give the bot fewer rights',
    de: 'Rollen eines Schlüssels ändern; Ablaufdatum verlängern; Schlüssel auf IP-Adressen beschränken; Schlüssel umbenennen',
    fr: "changer les rôles d'une clé; prolonger l'expiration; limiter une clé à des adresses IP; renommer une clé",
    es: 'cambiar los roles de una clave; prolongar la caducidad; limitar una clave a direcciones IP; renombrar una clave',
  },
}
