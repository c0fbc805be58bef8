import type { Phrases } from '#platform/operation.ts'

export const usersPhrases: Phrases = {
  create_user: {
    en: 'add a colleague; new employee needs an account; make a user with e-mail or phone; register a person; invite a technician; new login, sign up a member; Ana starts on Monday, set her up; give the new foreman access; take a person on; add a member to the team; account for an apprentice; somebody new in the office; enrol a subcontractor; put a worker into the system; let a person sign in from now on',
    de: 'einen Kollegen hinzufügen; neuer Mitarbeiter braucht ein Konto; Benutzer anlegen; Person registrieren; Ana fängt am Montag an, richte sie ein; dem neuen Vorarbeiter Zugang geben; Konto für einen Lehrling; Subunternehmer aufnehmen; jemand Neues im Büro',
    fr: "ajouter un collègue; nouveau compte pour un employé; créer un utilisateur; inscrire une personne; Ana commence lundi, préparer son accès; donner accès au nouveau chef d'équipe; compte pour un apprenti; inscrire un sous-traitant; quelqu'un de nouveau au bureau",
    es: 'añadir un compañero; cuenta para un empleado nuevo; crear un usuario; registrar una persona; Ana empieza el lunes, prepararle el acceso; dar acceso al nuevo capataz; cuenta para un aprendiz; dar de alta a un subcontratista; alguien nuevo en la oficina',
  },
  list_users: {
    en: 'who works here; all people with access; find a colleague by name or phone; who is an administrator; users that hold a role; search accounts by role; member directory, staff list; who can get into the system; everybody in the team; which people may delete; find Ana; who is locked out; list of employees with accounts; who speaks German here; who could approve this; people of our company; who has no second factor yet; who has not accepted the invitation',
    de: 'wer hat hier Zugang; alle Benutzer anzeigen; Kollegen nach Namen suchen; wer ist Administrator; wer kommt in das System; alle im Team; welche Leute dürfen löschen; wer ist gesperrt; such Ana',
    fr: "qui a accès ici; tous les utilisateurs; chercher un collègue par nom; qui est administrateur; qui peut entrer dans le système; toute l'équipe; quelles personnes peuvent supprimer; qui est bloqué; trouver Ana",
    es: 'quién tiene acceso aquí; todos los usuarios; buscar un compañero por nombre; quién es administrador; quién puede entrar en el sistema; todo el equipo; qué personas pueden borrar; quién está bloqueado; buscar a Ana',
  },
  get_user: {
    en: "details of one person; phone numbers and e-mails of a colleague; which roles does Ana have; is this account locked; language and time zone of a user; user profile; tell me about Ana; how can I call the foreman, his number; what may this colleague do; can she delete records; is he still active; who is user 12; show a person's account; which rights does my colleague hold; card of an employee",
    de: 'Angaben zu einer Person; welche Rollen hat Ana; Telefonnummer eines Kollegen; Benutzerprofil; erzähl mir über Ana; welche Nummer hat der Vorarbeiter; was darf dieser Kollege; wer ist Benutzer 12; ist er noch aktiv',
    fr: "détails d'une personne; quels rôles a Ana; téléphone d'un collègue; profil d'un utilisateur; parle-moi d'Ana; quel est le numéro du chef d'équipe; que peut faire ce collègue; qui est l'utilisateur 12; est-il encore actif",
    es: 'datos de una persona; qué roles tiene Ana; teléfono de un compañero; perfil de un usuario; háblame de Ana; qué número tiene el capataz; qué puede hacer este compañero; quién es el usuario 12; sigue activo',
  },
  find_or_create_user: {
    en: 'get the user with this e-mail, make one if there is none; look a person up by e-mail; make sure somebody has an account; I have an address and need the user id; get-or-create account, ensure user exists; I only have an e-mail address, who is it; to whom does ana@example.com belong; need the id of a person before I message them; add him unless he is there already; do not make the person twice; idempotent sign-up; know the user behind a mail address',
    de: 'Benutzer zu dieser E-Mail finden oder anlegen; Person anhand der E-Mail nachschlagen; sicherstellen, dass es ein Konto gibt; ich habe nur eine E-Mail-Adresse, wer ist das; wem gehört ana@example.com; hinzufügen, falls noch nicht da; Person nicht doppelt anlegen',
    fr: "trouver l'utilisateur de cet e-mail ou le créer; chercher une personne par e-mail; s'assurer qu'un compte existe; je n'ai qu'une adresse e-mail, qui est-ce; à qui appartient ana@example.com; ajouter s'il n'existe pas encore; ne pas créer la personne deux fois",
    es: 'encontrar o crear el usuario de este correo; buscar una persona por correo; asegurar que existe una cuenta; solo tengo un correo, quién es; de quién es ana@example.com; añadir si no existe todavía; no crear a la persona dos veces',
  },
  invite_user: {
    en: 'send an invitation; let Ana choose her password; new colleague cannot sign in yet, send the link; send the invitation again; invitation expired, another one; get a link that I hand over myself; onboarding mail with a link; how does the new user get a log-in; invite by e-mail; activate the account of a new user',
    de: 'Einladung schicken; Einladung noch einmal senden; neue Kollegin soll sich anmelden können; Link zum Einrichten des Zugangs; Einladung abgelaufen; jemanden per E-Mail einladen',
    fr: "envoyer une invitation; renvoyer l'invitation; lien pour choisir son mot de passe; le nouveau collègue ne peut pas encore se connecter; invitation expirée; inviter par e-mail",
    es: 'enviar una invitación; reenviar la invitación; enlace para elegir su contraseña; el nuevo compañero aún no puede entrar; invitación caducada; invitar por correo',
  },
  cancel_invitation: {
    en: 'take an invitation back; the invitation went to the wrong person; void an open invitation; the link that we mailed must not work any more; he does not start after all, withdraw his invite',
    de: 'Einladung zurückziehen; Einladung ging an die falsche Person; offene Einladung ungültig machen; der verschickte Link soll nicht mehr gehen; er fängt doch nicht an; Einladung widerrufen',
    fr: "retirer une invitation; invitation envoyée à la mauvaise personne; annuler l'invitation en attente; le lien envoyé ne doit plus marcher; il ne commence finalement pas; révoquer une invitation",
    es: 'retirar una invitación; la invitación fue a la persona equivocada; anular la invitación pendiente; el enlace enviado ya no debe funcionar; al final no empieza; revocar una invitación',
  },
  reset_user_password: {
    en: 'a colleague forgot the password; send somebody a reset link; Ana cannot get in any more, new password; help a user who lost the password; password reset for an employee; she does not know her password',
    de: 'Kollegin hat das Passwort vergessen; Link zum Zurücksetzen schicken; Passwort eines Benutzers zurücksetzen; Mitarbeiter kommt ohne Passwort nicht hinein; neues Passwort für Ana; er weiß sein Passwort nicht',
    fr: "un collègue a oublié son mot de passe; envoyer un lien de réinitialisation; réinitialiser le mot de passe d'un utilisateur; nouveau mot de passe pour Ana; elle ne connaît plus son mot de passe; aider un employé sans mot de passe",
    es: 'un compañero olvidó la contraseña; enviar un enlace para restablecer; restablecer la contraseña de un usuario; nueva contraseña para Ana; no sabe su contraseña; ayudar a un empleado sin contraseña',
  },
  lock_user: {
    en: 'block a person; somebody left the company, stop the access; disable a login at once; suspend an employee account; ban, deactivate, revoke access of a user; he was fired, cut him off; she quit today; the phone of a worker was stolen, lock the account; nobody of that name should get in; keep a person out; delete a user; remove a person from the system; take a former employee off; kick somebody out',
    de: 'einen Benutzer sperren; jemand hat die Firma verlassen, Zugang entziehen; Konto deaktivieren; ihm wurde gekündigt, Zugang sperren; sie hat heute aufgehört; Handy eines Monteurs gestohlen, Konto sperren; Benutzer löschen; ehemaligen Mitarbeiter aussperren',
    fr: "bloquer un utilisateur; quelqu'un a quitté l'entreprise, couper son accès; désactiver un compte; il a été licencié, couper l'accès; elle est partie aujourd'hui; téléphone d'un technicien volé, verrouiller le compte; supprimer un utilisateur; exclure un ancien employé",
    es: 'bloquear a un usuario; alguien dejó la empresa, quitarle el acceso; desactivar una cuenta; lo despidieron, cortarle el acceso; se fue hoy; robaron el móvil de un técnico, bloquear la cuenta; borrar un usuario; dejar fuera a un antiguo empleado',
  },
  unlock_user: {
    en: 'let a blocked person back in; reactivate a login; somebody returned from leave and cannot sign in because of the lock; re-enable an account; he is back at work, open his account; I blocked her by mistake; the season worker returns; lift the lock on a person; she cannot get in since we locked her; make an account active again',
    de: 'gesperrten Benutzer wieder zulassen; Konto entsperren; Zugang wiedergeben; er arbeitet wieder hier, Konto öffnen; ich habe sie versehentlich gesperrt; Saisonkraft kommt zurück; Sperre einer Person aufheben',
    fr: "débloquer un utilisateur; réactiver un compte; rendre l'accès à une personne; il est de retour, rouvrir son compte; je l'ai bloquée par erreur; le saisonnier revient; lever le blocage d'une personne",
    es: 'desbloquear a un usuario; reactivar una cuenta; devolver el acceso a una persona; ha vuelto al trabajo, abrir su cuenta; la bloqueé por error; vuelve el temporero; levantar el bloqueo de una persona',
  },
  add_user_contact: {
    en: 'give a person another phone number; add a second e-mail address; new mobile for a colleague; register an address that messages can go to; attach contact to account; Ana has a new phone; write down his private number too; she can also be reached at this mail address; we have no number for him, put one in; store another way to reach a person',
    de: 'weitere Telefonnummer für eine Person; zweite E-Mail-Adresse hinzufügen; neue Handynummer eintragen; Ana hat ein neues Telefon; auch seine private Nummer notieren; sie ist auch unter dieser Mail erreichbar; wir haben keine Nummer von ihm, eintragen',
    fr: "ajouter un numéro de téléphone à une personne; deuxième adresse e-mail; nouveau portable d'un collègue; Ana a un nouveau téléphone; noter aussi son numéro privé; on la joint aussi à cette adresse; nous n'avons pas son numéro, l'inscrire",
    es: 'añadir otro teléfono a una persona; segunda dirección de correo; móvil nuevo de un compañero; Ana tiene teléfono nuevo; anotar también su número privado; también se la localiza en este correo; no tenemos su número, ponerlo',
  },
  remove_user_contact: {
    en: 'take a phone number away from a person; delete an old e-mail address of a user; this mobile number is no longer valid; drop a contact address; he gave his company phone back; wrong number, take it off; strike the old mail address; do not keep her private number; forget a phone number',
    de: 'Telefonnummer einer Person entfernen; alte E-Mail-Adresse eines Benutzers löschen; Nummer stimmt nicht mehr; er hat das Diensthandy zurückgegeben; falsche Nummer herausnehmen; ihre private Nummer nicht behalten; alte Mailadresse streichen',
    fr: "retirer un numéro de téléphone d'une personne; supprimer une ancienne adresse e-mail; ce numéro n'est plus valable; il a rendu son téléphone de service; mauvais numéro, l'enlever; ne pas garder son numéro privé; rayer l'ancien mail",
    es: 'quitar un teléfono de una persona; borrar un correo antiguo de un usuario; este número ya no vale; devolvió el móvil de empresa; número equivocado, quitarlo; no guardar su número privado; tachar el correo viejo',
  },
  set_user_language: {
    en: "this person wants everything in German; change the language of a user; messages should reach Ana in Spanish; user locale preference; he does not understand English, write to him in Polish; talk French to this worker; Ana's texts come in the wrong language; switch a colleague to Spanish; mother tongue of a person",
    de: 'Sprache eines Benutzers ändern; die Person möchte alles auf Deutsch; Nachrichten auf Spanisch; er versteht kein Englisch, auf Polnisch anschreiben; mit diesem Arbeiter Französisch reden; Texte kommen in der falschen Sprache; Kollegen auf Spanisch umstellen',
    fr: "changer la langue d'un utilisateur; la personne veut tout en français; langue préférée d'un compte; il ne comprend pas l'anglais, lui écrire en polonais; parler allemand à cet ouvrier; les textes arrivent dans la mauvaise langue; passer un collègue en français",
    es: 'cambiar el idioma de un usuario; la persona lo quiere todo en español; idioma preferido de una cuenta; no entiende inglés, escribirle en polaco; hablar alemán a este trabajador; los textos llegan en otro idioma; pasar a un compañero al español',
  },
  set_user_timezone: {
    en: 'this person moved to another country, change the clock; time zone of a user; show due dates in local time of Ana; times are off by hours for somebody; user tz setting; she works from Lima now; his clock shows the wrong hour; messages reach him in the middle of the night because of the zone; put a colleague on Madrid time; local clock of a person',
    de: 'Zeitzone eines Benutzers ändern; Person ist umgezogen, Uhrzeit stimmt nicht; Ortszeit einstellen; sie arbeitet jetzt von Lima aus; seine Uhr geht falsch; Kollegen auf Madrider Zeit stellen; Termine erscheinen ihm zur falschen Stunde',
    fr: "changer le fuseau horaire d'un utilisateur; les heures sont fausses pour cette personne; heure locale; elle travaille maintenant depuis Lima; son horloge est fausse; mettre un collègue à l'heure de Madrid; ses échéances tombent à la mauvaise heure",
    es: 'cambiar la zona horaria de un usuario; las horas están mal para esta persona; hora local; ahora trabaja desde Lima; su reloj está mal; poner a un compañero en hora de Madrid; sus plazos salen a otra hora',
  },
  set_username: {
    en: 'change the name somebody signs in with; rename a login; new user name after marriage; login handle; she married and wants another login; he signs in under a wrong name; spelling mistake in a user name; give an account another handle; what he types to log in should be different',
    de: 'Anmeldenamen ändern; Benutzername umbenennen; neuer Login-Name; sie hat geheiratet und will einen anderen Login; Tippfehler im Benutzernamen; er meldet sich unter falschem Namen an',
    fr: "changer le nom de connexion; renommer un identifiant; nouveau nom d'utilisateur; elle s'est mariée et veut un autre identifiant; faute dans le nom d'utilisateur; il se connecte sous un mauvais nom",
    es: 'cambiar el nombre de usuario; renombrar el inicio de sesión; nuevo identificador de acceso; se casó y quiere otro usuario; error en el nombre de usuario; entra con un nombre equivocado',
  },
  set_user_roles: {
    en: "make somebody an administrator; give a person more rights; take permissions away; let Ana edit records; promote or demote a user; grant privileges, change access level; assign roles; let somebody delete things too; Ana may import files from now on; he should only be able to look; the foreman may now manage people; she is no longer an administrator; allow a colleague to upload photos; a colleague gets forbidden, give him what he lacks; make a user read-only; set what a person may do; adjust somebody's permissions",
    de: 'jemanden zum Administrator machen; mehr Rechte geben; Rechte entziehen; Rollen eines Benutzers ändern; jemanden auch löschen lassen; Ana darf künftig Dateien importieren; er soll nur lesen können; sie ist keine Administratorin mehr; einem Kollegen das Hochladen erlauben; Berechtigungen einer Person anpassen',
    fr: "rendre quelqu'un administrateur; donner plus de droits; retirer des permissions; changer les rôles d'un utilisateur; laisser quelqu'un supprimer aussi; Ana peut désormais importer des fichiers; il ne doit que consulter; elle n'est plus administratrice; permettre à un collègue d'envoyer des photos; ajuster les droits d'une personne",
    es: 'hacer administrador a alguien; dar más permisos; quitar permisos; cambiar los roles de un usuario; dejar que alguien borre también; Ana puede importar archivos desde ahora; él solo debe mirar; ya no es administradora; permitir a un compañero subir fotos; ajustar los permisos de una persona',
  },
  list_roles: {
    en: 'which permissions exist; what does each role allow; difference between DataEdit and DataView; role names and bits; rights that can be given; access levels, RBAC roles; which role do I need to delete something; what may an editor do; all rights there are; what do I give somebody who should only look; explanation of the permissions; how are rights divided; meaning of roleFlag bits',
    de: 'welche Rollen gibt es; was darf welche Rolle; Liste der Berechtigungen; welche Rolle braucht man zum Löschen; alle Rechte, die es gibt; welche Rolle für jemanden, der nur liest; wie sind die Rechte aufgeteilt',
    fr: "quels rôles existent; que permet chaque rôle; liste des permissions; quel rôle faut-il pour supprimer; tous les droits existants; quel rôle pour quelqu'un qui ne fait que lire; comment les droits sont répartis",
    es: 'qué roles existen; qué permite cada rol; lista de permisos; qué rol hace falta para borrar; todos los derechos que hay; qué rol para alguien que solo lee; cómo se reparten los permisos',
  },
  delete_user: {
    en: 'somebody has left the company, remove them; delete an account of an employee; take a person out of our tenant; end a membership; offboard a colleague; remove a user for good; get rid of an old account; he was fired, delete his user; clean up people who no longer work here; erase a user but keep what she did; free a seat',
    de: 'jemand hat die Firma verlassen, entfernen; Konto eines Mitarbeiters löschen; Benutzer endgültig entfernen; Mitgliedschaft beenden; ausgeschiedenen Kollegen löschen; alte Konten aufräumen; Person aus dem Mandanten nehmen',
    fr: "quelqu'un a quitté la société, le retirer; supprimer le compte d'un employé; retirer une personne pour de bon; mettre fin à une adhésion; supprimer un ancien collègue; nettoyer les vieux comptes; enlever quelqu'un de notre espace",
    es: 'alguien ha dejado la empresa, quitarlo; eliminar la cuenta de un empleado; quitar a una persona para siempre; terminar una membresía; dar de baja a un compañero; limpiar cuentas viejas; sacar a alguien de nuestro espacio',
  },
  reset_user_factors: {
    en: 'she lost her phone and her recovery codes; remove the two-factor authentication of a person; reset MFA of somebody; locked out by the authenticator app; nobody can get past the second factor any more; the security key is gone, let him in again; clear 2FA of a user; take away all second factors; he cannot produce a code any more; disable two-step login of somebody who lost the device',
    de: 'sie hat Handy und Wiederherstellungscodes verloren; zweite Faktoren einer Person entfernen; 2FA von jemandem zurücksetzen; ausgesperrt durch die Authenticator-App; Sicherheitsschlüssel ist weg; alle zweiten Faktoren wegnehmen; er hat keinen Code mehr',
    fr: 'elle a perdu son téléphone et ses codes de secours; retirer les seconds facteurs de quelqu’un; réinitialiser la 2FA d’une personne; bloqué par l’application de codes; la clé de sécurité a disparu; enlever tous les seconds facteurs; il ne peut plus donner de code',
    es: 'perdió el teléfono y los códigos de recuperación; quitar los segundos factores de alguien; restablecer la 2FA de una persona; bloqueado por la aplicación de códigos; la llave de seguridad ha desaparecido; quitar todos los segundos factores; ya no puede dar un código',
  },
}
