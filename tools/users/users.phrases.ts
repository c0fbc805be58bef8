import type { Phrases } from '#platform/operation.ts'

export const usersPhrases: Phrases = {
  create_user: {
    en: 'add a colleague; new employee needs an account; make a user with e-mail or phone; register a person; invite a technician; new login, sign up a member',
    de: 'einen Kollegen hinzufügen; neuer Mitarbeiter braucht ein Konto; Benutzer anlegen; Person registrieren',
    fr: 'ajouter un collègue; nouveau compte pour un employé; créer un utilisateur; inscrire une personne',
    es: 'añadir un compañero; cuenta para un empleado nuevo; crear un usuario; registrar una persona',
  },
  list_users: {
    en: 'who works here; all people with access; find a colleague by name or phone; who is an administrator; users that hold a role; search accounts by role; member directory, staff list',
    de: 'wer hat hier Zugang; alle Benutzer anzeigen; Kollegen nach Namen suchen; wer ist Administrator',
    fr: 'qui a accès ici; tous les utilisateurs; chercher un collègue par nom; qui est administrateur',
    es: 'quién tiene acceso aquí; todos los usuarios; buscar un compañero por nombre; quién es administrador',
  },
  get_user: {
    en: 'details of one person; phone numbers and e-mails of a colleague; which roles does Ana have; is this account locked; language and time zone of a user; user profile',
    de: 'Angaben zu einer Person; welche Rollen hat Ana; Telefonnummer eines Kollegen; Benutzerprofil',
    fr: "détails d'une personne; quels rôles a Ana; téléphone d'un collègue; profil d'un utilisateur",
    es: 'datos de una persona; qué roles tiene Ana; teléfono de un compañero; perfil de un usuario',
  },
  find_or_create_user: {
    en: 'get the user with this e-mail, make one if there is none; look a person up by e-mail; make sure somebody has an account; I have an address and need the user id; get-or-create account, ensure user exists',
    de: 'Benutzer zu dieser E-Mail finden oder anlegen; Person anhand der E-Mail nachschlagen; sicherstellen, dass es ein Konto gibt',
    fr: "trouver l'utilisateur de cet e-mail ou le créer; chercher une personne par e-mail; s'assurer qu'un compte existe",
    es: 'encontrar o crear el usuario de este correo; buscar una persona por correo; asegurar que existe una cuenta',
  },
  lock_user: {
    en: 'block a person; somebody left the company, stop the access; disable a login at once; suspend an employee account; ban, deactivate, revoke access of a user',
    de: 'einen Benutzer sperren; jemand hat die Firma verlassen, Zugang entziehen; Konto deaktivieren',
    fr: "bloquer un utilisateur; quelqu'un a quitté l'entreprise, couper son accès; désactiver un compte",
    es: 'bloquear a un usuario; alguien dejó la empresa, quitarle el acceso; desactivar una cuenta',
  },
  unlock_user: {
    en: 'let a blocked person back in; reactivate a login; somebody returned from leave and cannot sign in because of the lock; re-enable an account',
    de: 'gesperrten Benutzer wieder zulassen; Konto entsperren; Zugang wiedergeben',
    fr: "débloquer un utilisateur; réactiver un compte; rendre l'accès à une personne",
    es: 'desbloquear a un usuario; reactivar una cuenta; devolver el acceso a una persona',
  },
  add_user_contact: {
    en: 'give a person another phone number; add a second e-mail address; new mobile for a colleague; register an address that messages can go to; attach contact to account',
    de: 'weitere Telefonnummer für eine Person; zweite E-Mail-Adresse hinzufügen; neue Handynummer eintragen',
    fr: "ajouter un numéro de téléphone à une personne; deuxième adresse e-mail; nouveau portable d'un collègue",
    es: 'añadir otro teléfono a una persona; segunda dirección de correo; móvil nuevo de un compañero',
  },
  remove_user_contact: {
    en: 'take a phone number away from a person; delete an old e-mail address of a user; this mobile number is no longer valid; drop a contact address',
    de: 'Telefonnummer einer Person entfernen; alte E-Mail-Adresse eines Benutzers löschen; Nummer stimmt nicht mehr',
    fr: "retirer un numéro de téléphone d'une personne; supprimer une ancienne adresse e-mail; ce numéro n'est plus valable",
    es: 'quitar un teléfono de una persona; borrar un correo antiguo de un usuario; este número ya no vale',
  },
  set_user_language: {
    en: 'this person wants everything in German; change the language of a user; messages should reach Ana in Spanish; user locale preference',
    de: 'Sprache eines Benutzers ändern; die Person möchte alles auf Deutsch; Nachrichten auf Spanisch',
    fr: "changer la langue d'un utilisateur; la personne veut tout en français; langue préférée d'un compte",
    es: 'cambiar el idioma de un usuario; la persona lo quiere todo en español; idioma preferido de una cuenta',
  },
  set_user_timezone: {
    en: 'this person moved to another country, change the clock; time zone of a user; show due dates in local time of Ana; times are off by hours for somebody; user tz setting',
    de: 'Zeitzone eines Benutzers ändern; Person ist umgezogen, Uhrzeit stimmt nicht; Ortszeit einstellen',
    fr: "changer le fuseau horaire d'un utilisateur; les heures sont fausses pour cette personne; heure locale",
    es: 'cambiar la zona horaria de un usuario; las horas están mal para esta persona; hora local',
  },
  set_username: {
    en: 'change the name somebody signs in with; rename a login; new user name after marriage; login handle',
    de: 'Anmeldenamen ändern; Benutzername umbenennen; neuer Login-Name',
    fr: "changer le nom de connexion; renommer un identifiant; nouveau nom d'utilisateur",
    es: 'cambiar el nombre de usuario; renombrar el inicio de sesión; nuevo identificador de acceso',
  },
  set_user_roles: {
    en: 'make somebody an administrator; give a person more rights; take permissions away; let Ana edit records; promote or demote a user; grant privileges, change access level; assign roles',
    de: 'jemanden zum Administrator machen; mehr Rechte geben; Rechte entziehen; Rollen eines Benutzers ändern',
    fr: "rendre quelqu'un administrateur; donner plus de droits; retirer des permissions; changer les rôles d'un utilisateur",
    es: 'hacer administrador a alguien; dar más permisos; quitar permisos; cambiar los roles de un usuario',
  },
  list_roles: {
    en: 'which permissions exist; what does each role allow; difference between DataEdit and DataView; role names and bits; rights that can be given; access levels, RBAC roles',
    de: 'welche Rollen gibt es; was darf welche Rolle; Liste der Berechtigungen',
    fr: 'quels rôles existent; que permet chaque rôle; liste des permissions',
    es: 'qué roles existen; qué permite cada rol; lista de permisos',
  },
}
