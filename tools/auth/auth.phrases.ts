import type { Phrases } from '#platform/operation.ts'

export const authPhrases: Phrases = {
  list_api_keys: {
    en: 'which keys are in use; show all access tokens; when was a key last used; what credentials have we handed out; unused keys; token inventory; which programs have access to our data; who holds a key; how many tokens are out there; is some old key still alive; when do our keys run out; which integrations are connected; overview of credentials; audit of keys; which key belongs to which bot',
    de: 'welche Schlüssel gibt es; alle Zugangsschlüssel anzeigen; wann wurde ein Schlüssel zuletzt benutzt; welche Programme haben Zugriff; wie viele Tokens sind im Umlauf; wann laufen unsere Schlüssel ab; welche Schnittstellen sind angebunden',
    fr: "quelles clés existent; afficher les jetons d'accès; quand une clé a-t-elle servi en dernier; quels programmes ont accès; combien de jetons circulent; quand expirent nos clés; quelles intégrations sont branchées",
    es: 'qué claves existen; mostrar los tokens de acceso; cuándo se usó una clave por última vez; qué programas tienen acceso; cuántos tokens hay en circulación; cuándo caducan nuestras claves; qué integraciones están conectadas',
  },
  find_api_keys: {
    en: 'whose is this leaked key; a token was found on the internet, who does it belong to; look a key up by its first characters; which company does this credential come from; identify a key in a public repository; trace a token over all tenants; a scanner reported a secret; which tenant has this key; somebody mailed us a key; who is behind this token',
    de: 'wem gehört dieser geleakte Schlüssel; ein Token wurde im Netz gefunden; Schlüssel an den ersten Zeichen erkennen; zu welcher Firma gehört dieser Schlüssel; ein Scanner hat ein Geheimnis gemeldet; Token über alle Mandanten suchen',
    fr: 'à qui est cette clé divulguée; un jeton a été trouvé sur internet; reconnaître une clé à ses premiers caractères; de quelle société vient cette clé; un scanner a signalé un secret; chercher un jeton dans tous les locataires',
    es: 'de quién es esta clave filtrada; se encontró un token en internet; reconocer una clave por sus primeros caracteres; de qué empresa es esta clave; un escáner avisó de un secreto; buscar un token en todos los inquilinos',
  },
  create_api_key: {
    en: 'make a key for an agent; a program needs access; new token for an integration; credential that acts as a person; bot password; issue API secret, bearer token with few roles; connect our ERP, it needs a login; give an assistant its own access; I need a token; get me a key; set a bot up; hand out a key that may only read; a key for the phone app of a field worker; service account for a script; let another program call the API; how can my software sign in',
    de: 'einen Schlüssel für einen Agenten erzeugen; ein Programm braucht Zugang; neues Zugangstoken ausstellen; unsere ERP-Software braucht einen Zugang; ich brauche ein Token; einen Schlüssel nur zum Lesen ausgeben; Dienstkonto für ein Skript; Schlüssel für die App eines Monteurs',
    fr: "créer une clé pour un agent; un programme a besoin d'un accès; nouveau jeton pour une intégration; notre ERP a besoin d'un accès; il me faut un jeton; une clé en lecture seule; compte de service pour un script; clé pour l'application d'un technicien",
    es: 'crear una clave para un agente; un programa necesita acceso; token nuevo para una integración; nuestro ERP necesita un acceso; necesito un token; una clave de solo lectura; cuenta de servicio para un script; clave para la aplicación de un técnico',
  },
  revoke_api_key: {
    en: 'a key leaked, end it now; disable a token at once; delete an API key; stop an integration from calling; throw an access key away; invalidate credential; the laptop with the token was stolen; somebody posted our key on the internet; cut the bot off; this integration must not get in any more; kill a token; take the key back; we no longer use that connector, end its access; remove a credential; an agent runs wild, shut it out',
    de: 'ein Schlüssel ist bekannt geworden, sofort sperren; Zugangsschlüssel widerrufen; API-Key löschen; Laptop mit dem Token wurde gestohlen; dem Bot den Zugang abdrehen; Schlüssel zurücknehmen; Schnittstelle wird nicht mehr gebraucht, Zugang beenden; Token ungültig machen',
    fr: "une clé a fuité, la désactiver tout de suite; révoquer un jeton; supprimer une clé d'API; l'ordinateur avec le jeton a été volé; couper l'accès du robot; reprendre la clé; cette intégration ne doit plus entrer; invalider un jeton",
    es: 'se filtró una clave, anularla ya; revocar un token; eliminar una clave de API; robaron el portátil con el token; cortar el acceso al bot; retirar la clave; esta integración ya no debe entrar; invalidar un token',
  },
  rotate_api_key: {
    en: 'replace the secret of a key; new password for an integration while the old one still works for a while; renew a token; change the key without downtime; secret rotation, credential rollover with a grace period; our policy says change secrets every three months; swap the secret of the connector; give the same key a fresh secret; exchange a token while the program keeps running; the developer who knew the secret left, issue a new one for the same key; periodic key change; regenerate the token of an integration',
    de: 'Geheimnis eines Schlüssels austauschen; Schlüssel erneuern, alter gilt noch kurz; neues Token für dieselbe Anwendung; Geheimnis alle drei Monate wechseln; denselben Schlüssel mit neuem Geheimnis; Token wechseln, während das Programm weiterläuft; Schlüssel turnusmäßig tauschen',
    fr: "remplacer le secret d'une clé; renouveler un jeton, l'ancien reste valable un moment; rotation de clé; changer le secret tous les trois mois; même clé, nouveau secret; changer de jeton sans arrêter le programme; régénérer le jeton d'une intégration",
    es: 'sustituir el secreto de una clave; renovar un token y que el viejo valga un rato; rotación de clave; cambiar el secreto cada tres meses; misma clave, secreto nuevo; cambiar el token sin parar el programa; regenerar el token de una integración',
  },
  update_api_key: {
    en: 'change the roles of a key; let a key expire later; allow only our office address for a key; rename a token; restrict a key to IP addresses; extend the expiry date of a credential; give the bot fewer rights; the agent should also be allowed to delete; let the bot import files too; take the delete permission away from a key; the key runs out next week, make it last longer; this token may be used only from our network; give the integration a better name; the bot gets 403, add a role to its key; whitelist an IP for a key',
    de: 'Rollen eines Schlüssels ändern; Ablaufdatum verlängern; Schlüssel auf IP-Adressen beschränken; Schlüssel umbenennen; der Agent soll auch löschen dürfen; dem Schlüssel ein Recht wegnehmen; der Schlüssel läuft bald ab, länger gelten lassen; Schlüssel nur aus unserem Netz erlauben',
    fr: "changer les rôles d'une clé; prolonger l'expiration; limiter une clé à des adresses IP; renommer une clé; l'agent doit aussi pouvoir supprimer; enlever un droit à une clé; la clé expire bientôt, la prolonger; clé utilisable seulement depuis notre réseau",
    es: 'cambiar los roles de una clave; prolongar la caducidad; limitar una clave a direcciones IP; renombrar una clave; el agente también debe poder borrar; quitar un permiso a una clave; la clave caduca pronto, alargarla; clave solo desde nuestra red',
  },
  save_secret: {
    en: 'keep a password for a call to another system; store the token of our ERP; save an API token for HTTP steps; where do I put the credentials of a third party; deposit a bearer token; change the stored password of a connection; keep the key of the weather service; a secret that workflows may send; write-only password; safe place for a token',
    de: 'ein Passwort für ein fremdes System hinterlegen; den Token unseres ERP speichern; Zugangsdaten für HTTP-Schritte ablegen; ein Geheimnis sichern; gespeicherten Token ersetzen; Schlüssel eines Dienstes hinterlegen',
    fr: "conserver un mot de passe pour un autre système; enregistrer le jeton de notre ERP; déposer des identifiants pour les étapes HTTP; garder un secret; remplacer le jeton enregistré; déposer la clé d'un service",
    es: 'guardar una contraseña para otro sistema; almacenar el token de nuestro ERP; dejar credenciales para los pasos HTTP; guardar un secreto; sustituir el token guardado; depositar la clave de un servicio',
  },
  list_secrets: {
    en: 'which secrets are stored; names of the saved tokens; which credentials of third parties do we hold; when was the ERP token last used; overview of stored passwords for connections; what secrets can a workflow use; is there a token for the weather service; to which hosts may a secret go; list the write-only values; which stored tokens are unused',
    de: 'welche Geheimnisse sind gespeichert; Namen der hinterlegten Token; welche fremden Zugangsdaten haben wir; wann wurde der Token zuletzt verwendet; an welche Hosts darf ein Geheimnis gehen; hinterlegte Passwörter auflisten',
    fr: 'quels secrets sont enregistrés; noms des jetons déposés; quels identifiants tiers avons-nous; quand le jeton a-t-il servi; vers quels hôtes un secret peut-il aller; lister les mots de passe déposés',
    es: 'qué secretos están guardados; nombres de los tokens almacenados; qué credenciales de terceros tenemos; cuándo se usó el token por última vez; a qué hosts puede ir un secreto; listar las contraseñas guardadas',
  },
  delete_secret: {
    en: 'remove a stored token; delete the password of the old ERP; forget the credentials of a third party; the secret is no longer needed; throw away a saved token; take back the stored key of a service; clean up unused secrets; workflows shall not send this token any more; erase a secret; drop the saved password of a connection',
    de: 'ein gespeichertes Token löschen; das Passwort des alten ERP entfernen; hinterlegte Zugangsdaten vergessen; das Geheimnis wird nicht mehr gebraucht; ungenutzte Geheimnisse aufräumen; Schlüssel eines Dienstes entfernen',
    fr: "supprimer un jeton enregistré; retirer le mot de passe de l'ancien ERP; oublier des identifiants tiers; le secret n'est plus nécessaire; nettoyer les secrets inutiles; effacer la clé d'un service",
    es: 'eliminar un token guardado; quitar la contraseña del ERP antiguo; olvidar credenciales de terceros; el secreto ya no hace falta; limpiar secretos sin uso; borrar la clave de un servicio',
  },
}
