import type { Phrases } from '#platform/operation.ts'

export const tenantsPhrases: Phrases = {
  provision_tenant: {
    en: 'add a new company; set up another customer organisation; create a tenant with its first administrator; onboard a client; new workspace, account or organisation; we won a new client, give them a place of their own; separate area for a subsidiary; open a workspace; sign a business up; start a fresh tenant; another firm wants to use the system; set a customer up from scratch',
    de: 'neue Firma anlegen; weiteren Mandanten einrichten; neue Organisation mit Administrator; neuer Kunde bekommt seinen eigenen Bereich; eigener Bereich für eine Tochterfirma; noch eine Firma will das System nutzen; Arbeitsbereich eröffnen',
    fr: 'ajouter une nouvelle société; créer un locataire; nouvelle organisation avec son administrateur; un nouveau client reçoit son propre espace; espace séparé pour une filiale; une autre entreprise veut utiliser le système; ouvrir un espace de travail',
    es: 'añadir una empresa nueva; crear un inquilino; nueva organización con su administrador; un cliente nuevo recibe su propio espacio; área separada para una filial; otra empresa quiere usar el sistema; abrir un espacio de trabajo',
  },
  list_tenants: {
    en: 'which companies are on this installation; all customer organisations; list tenants with user counts; find a company by its name or host; every workspace; who are all our clients; how many firms use the system; which workspaces exist; overview of accounts on the server; which companies are blocked; how many people has each company',
    de: 'welche Firmen gibt es hier; alle Mandanten auflisten; Organisation nach Namen suchen; welche Firmen nutzen das System; welche Arbeitsbereiche gibt es; welche Firmen sind gesperrt; wie viele Leute hat jede Firma',
    fr: 'quelles sociétés sont hébergées; liste des locataires; chercher une organisation par nom; quelles entreprises utilisent le système; quels espaces de travail existent; quelles sociétés sont bloquées; combien de personnes par société',
    es: 'qué empresas hay en la instalación; lista de inquilinos; buscar una organización por nombre; qué empresas usan el sistema; qué espacios de trabajo hay; qué empresas están bloqueadas; cuántas personas tiene cada empresa',
  },
  get_tenant: {
    en: 'details of one company; tell me about a customer organisation; configuration of a tenant; default language and theme of an organisation; is this company suspended; settings of one customer; look at one client; is this firm still active; under which address does the company work; since when is this organisation with us; data about a subsidiary; look and language of a workspace; tell me the settings of our company',
    de: 'Angaben zu einer Firma; Einstellungen eines Mandanten; Standardsprache der Organisation; einen Kunden des Systems ansehen; ist diese Firma noch aktiv; seit wann ist die Organisation dabei; Einstellungen unserer Firma',
    fr: "détails d'une société; configuration d'un locataire; langue par défaut de l'organisation; regarder une société cliente; cette entreprise est-elle encore active; depuis quand l'organisation est-elle là; réglages de notre société",
    es: 'detalles de una empresa; configuración de un inquilino; idioma por defecto de la organización; ver una empresa cliente; sigue activa esta empresa; desde cuándo está la organización; ajustes de nuestra empresa',
  },
  suspend_tenant: {
    en: 'block a whole company; the customer does not pay, lock them out; stop all access of an organisation; disable a tenant; freeze an account but keep its data; the contract ended, nobody of that firm may get in; switch a client off; shut down a workspace for now; put an organisation on hold; stop everyone of a company from working; unpaid bills, close the door',
    de: 'eine ganze Firma sperren; Kunde zahlt nicht, Zugang abschalten; Mandant stilllegen; Vertrag ist zu Ende, niemand der Firma darf mehr hinein; einen Kunden abschalten; Arbeitsbereich vorläufig schließen; alle Leute einer Firma aussperren',
    fr: "bloquer toute une société; le client ne paie pas, couper l'accès; suspendre un locataire; contrat terminé, plus personne de cette entreprise ne doit entrer; couper un client; fermer un espace pour le moment; exclure tous les gens d'une société",
    es: 'bloquear toda una empresa; el cliente no paga, cortar el acceso; suspender un inquilino; contrato terminado, nadie de esa empresa debe entrar; apagar un cliente; cerrar un espacio por ahora; dejar fuera a toda una empresa',
  },
  activate_tenant: {
    en: 'let a suspended company back in; reactivate an organisation; the customer paid, unblock them; end a suspension; re-enable a tenant; the bill is settled, open up for the firm again; switch a client back on; bring a workspace back; take a company off hold; restore access for an organisation',
    de: 'gesperrte Firma wieder zulassen; Mandant reaktivieren; Sperre einer Organisation aufheben; Rechnung ist bezahlt, Firma wieder hereinlassen; Kunden wieder einschalten; Arbeitsbereich wieder öffnen; stillgelegte Firma fortführen',
    fr: "réactiver une société suspendue; lever la suspension d'un locataire; rétablir l'accès d'une organisation; facture réglée, rouvrir pour l'entreprise; remettre un client en service; rouvrir un espace; la société peut de nouveau travailler",
    es: 'reactivar una empresa suspendida; levantar la suspensión de un inquilino; devolver el acceso a una organización; factura pagada, abrir otra vez a la empresa; volver a encender un cliente; reabrir un espacio; la empresa puede trabajar de nuevo',
  },
  list_audit_events: {
    en: 'who did what and when; show the audit log; security log of our company; which user deleted the entity; who changed the roles of Ben; refused calls of the last week; what has this key been doing; who read the secret; who signed in this morning and from where; was anything done with the stolen laptop; who took my rights away; trail of an administrator; what happened on Friday night; did support look into our tenant',
    de: 'wer hat was wann getan; Prüfprotokoll ansehen; wer hat die Rollen geändert; abgelehnte Aufrufe der letzten Woche; was hat dieser Schlüssel gemacht; wer hat sich heute angemeldet und von wo; was hat der Administrator getan',
    fr: "qui a fait quoi et quand; voir le journal d'audit; qui a changé les rôles; appels refusés cette semaine; qu'a fait cette clé; qui s'est connecté ce matin et d'où; traces d'un administrateur",
    es: 'quién hizo qué y cuándo; ver el registro de auditoría; quién cambió los roles; llamadas rechazadas esta semana; qué ha hecho esta clave; quién entró hoy y desde dónde; rastro de un administrador',
  },
  export_audit_events: {
    en: 'audit log as a file; CSV of everything that was done this year; evidence for the auditors; hand the security log to compliance; save the audit trail for the lawyer; log of accesses as a spreadsheet; feed the audit log to our SIEM; archive who did what; download all refused calls; a file of sign-ins for the works council; proof of access for a certification; keep the audit events longer than a year',
    de: 'Prüfprotokoll als Datei; alle Vorgänge des Jahres als CSV; Nachweis für die Revision; Zugriffe für den Datenschutz sichern; Protokoll archivieren; Anmeldungen als Liste herunterladen',
    fr: "journal d'audit en fichier; CSV de tout ce qui a été fait; preuves pour les auditeurs; archiver le journal; remettre les accès à la conformité; liste des connexions à télécharger",
    es: 'registro de auditoría en un archivo; CSV de todo lo hecho este año; pruebas para los auditores; archivar el registro; entregar los accesos a cumplimiento; lista de inicios de sesión para descargar',
  },
  get_sign_in_policy: {
    en: 'must people here use two-factor authentication; is a second factor mandatory; what does our company ask of those who log in; which second factors are accepted; who has to use MFA; may people connect apps by OAuth; sign-in rules of a tenant; is 2FA enforced; are passkeys required; show the login policy; which login methods are allowed',
    de: 'ist ein zweiter Faktor Pflicht; wer muss sich mit zwei Faktoren anmelden; welche zweiten Faktoren zählen; Anmelderegeln der Firma; ist 2FA vorgeschrieben; dürfen Leute Apps verbinden; sind Passkeys vorgeschrieben',
    fr: 'le second facteur est-il obligatoire; qui doit se connecter avec deux facteurs; quels seconds facteurs comptent; règles de connexion de la société; la 2FA est-elle imposée; peut-on connecter des applications; les clés d’accès sont-elles exigées',
    es: 'es obligatorio el segundo factor; quién debe entrar con dos factores; qué segundos factores cuentan; reglas de inicio de sesión de la empresa; está impuesta la 2FA; se pueden conectar aplicaciones; se exigen llaves de acceso',
  },
  set_sign_in_policy: {
    en: 'make two-factor authentication mandatory; require MFA for everybody; administrators must use a second factor; enforce passkeys; allow only authenticator apps as second factor; stop people from connecting apps; require 2FA for admins; turn off the need for a second factor; no SMS codes any more; tighten how people log in; change the login rules of the company',
    de: 'zweiten Faktor zur Pflicht machen; 2FA für alle vorschreiben; Administratoren müssen einen zweiten Faktor nutzen; nur Passkeys zulassen; keine SMS-Codes mehr erlauben; Verbinden von Apps verbieten; Anmelderegeln verschärfen',
    fr: 'rendre le second facteur obligatoire; imposer la 2FA à tous; les administrateurs doivent avoir un second facteur; n’accepter que les clés d’accès; plus de codes par SMS; interdire de connecter des applications; durcir les règles de connexion',
    es: 'hacer obligatorio el segundo factor; imponer la 2FA a todos; los administradores deben usar un segundo factor; aceptar solo llaves de acceso; no más códigos por SMS; prohibir conectar aplicaciones; endurecer las reglas de inicio de sesión',
  },
  get_tenant_branding: {
    en: 'what does our tenant look like; which logo do we have; show our colours and icons; branding of a company; which theme is set; brand name and logo key; look at the corporate design; which favicon do people see; current colours of the portal; is a logo uploaded already',
    de: 'wie sieht unser Mandant aus; welches Logo haben wir; Farben und Symbole zeigen; Erscheinungsbild einer Firma; welches Design ist eingestellt; Corporate Design ansehen',
    fr: "à quoi ressemble notre espace; quel logo avons-nous; voir nos couleurs et icônes; image de marque d'une société; quel thème est réglé; charte graphique actuelle",
    es: 'cómo se ve nuestro espacio; qué logotipo tenemos; ver colores e iconos; imagen de marca de una empresa; qué tema está puesto; diseño corporativo actual',
  },
  set_tenant_theme: {
    en: 'change the colours of our pages; use our corporate colour; set the theme; make the buttons green; rounder corners; another font on the forms; pages in our company design; brand colour; restyle the portal; CSS variables of the tenant; softer shadows; go back to the shipped look',
    de: 'Farben unserer Seiten ändern; Hausfarbe verwenden; Design einstellen; Knöpfe in Grün; rundere Ecken; andere Schrift auf den Formularen; zurück zum ausgelieferten Aussehen',
    fr: 'changer les couleurs de nos pages; utiliser notre couleur; régler le thème; boutons verts; coins plus arrondis; autre police sur les formulaires; revenir au thème livré',
    es: 'cambiar los colores de nuestras páginas; usar nuestro color corporativo; ajustar el tema; botones verdes; esquinas más redondas; otra letra en los formularios; volver al aspecto original',
  },
  set_tenant_branding_image: {
    en: 'upload our logo; put the company logo on the sign-in page; set the favicon; icon for the home screen of the phone; replace the old logo; logo from our web site; app icon for Android or iPhone; small icon of the browser tab; our emblem on the pages; branding picture',
    de: 'unser Logo hochladen; Firmenlogo auf die Anmeldeseite; Favicon setzen; Symbol für den Startbildschirm; altes Logo ersetzen; Logo von unserer Webseite übernehmen',
    fr: "télécharger notre logo; logo de la société sur la page de connexion; mettre le favicon; icône pour l'écran d'accueil; remplacer l'ancien logo; logo de notre site",
    es: 'subir nuestro logotipo; logotipo en la página de acceso; poner el favicon; icono para la pantalla de inicio; cambiar el logotipo viejo; logotipo de nuestra web',
  },
  update_tenant: {
    en: 'rename a company; change the host of a tenant; our customer got a new name; move a tenant to its own domain; contract ends on a date, close then; other sub-domain for an organisation; change the description of a company; extend the active time of a client; edit the data of a tenant',
    de: 'Firma umbenennen; Host eines Mandanten ändern; Kunde hat einen neuen Namen; eigene Domain für einen Mandanten; Vertrag endet an einem Tag; andere Subdomain für eine Organisation',
    fr: "renommer une société; changer l'hôte d'un locataire; le client a un nouveau nom; domaine propre pour un locataire; le contrat finit à une date; autre sous-domaine",
    es: 'cambiar el nombre de una empresa; cambiar el host de un inquilino; el cliente tiene otro nombre; dominio propio para un inquilino; el contrato termina en una fecha; otro subdominio',
  },
  list_tenant_languages: {
    en: 'which languages does a company use; default language of a tenant; languages that are switched on for a customer; is French enabled for them; languages offered to the users of an organisation; language settings of a client',
    de: 'welche Sprachen nutzt eine Firma; Standardsprache eines Mandanten; eingeschaltete Sprachen eines Kunden; ist Französisch dort aktiv; Spracheinstellungen einer Organisation; angebotene Sprachen der Firma',
    fr: "quelles langues utilise une société; langue par défaut d'un locataire; langues activées chez un client; l'allemand est-il actif; réglages de langue d'une organisation; langues proposées",
    es: 'qué idiomas usa una empresa; idioma por defecto de un inquilino; idiomas activados de un cliente; está activo el francés; ajustes de idioma de una organización; idiomas ofrecidos',
  },
  set_tenant_language: {
    en: 'make German the default language of a company; switch a language off for a customer; enable Spanish for a tenant; change the default language; they only need English and French; offer another language to an organisation; disable languages nobody there speaks',
    de: 'Deutsch zur Standardsprache einer Firma machen; Sprache für einen Kunden abschalten; Spanisch einschalten; Standardsprache wechseln; nur Englisch und Französisch anbieten; weitere Sprache für die Organisation',
    fr: "faire du français la langue par défaut d'une société; désactiver une langue pour un client; activer l'espagnol; changer la langue par défaut; proposer une autre langue; garder seulement deux langues",
    es: 'hacer del español el idioma por defecto de una empresa; desactivar un idioma para un cliente; activar el francés; cambiar el idioma por defecto; ofrecer otro idioma; dejar solo dos idiomas',
  },
  set_tenant_limits: {
    en: 'limit how many records a company may have; quota for a customer; cap the storage of a tenant; at most fifty users for them; slow a client down, fewer calls a minute; they send too many messages, set a daily cap; plan limits; take a quota away; restrict an organisation to its plan',
    de: 'begrenzen, wie viele Datensätze eine Firma haben darf; Kontingent für einen Kunden; Speicher eines Mandanten begrenzen; höchstens fünfzig Benutzer; weniger Aufrufe pro Minute; Tagesgrenze für Nachrichten',
    fr: "limiter le nombre d'enregistrements d'une société; quota pour un client; plafonner le stockage d'un locataire; au plus cinquante utilisateurs; moins d'appels par minute; plafond de messages par jour",
    es: 'limitar cuántos registros puede tener una empresa; cuota para un cliente; tope de almacenamiento de un inquilino; como máximo cincuenta usuarios; menos llamadas por minuto; tope diario de mensajes',
  },
  get_tenant_usage: {
    en: 'how much does a company use; storage of a customer; number of records per tenant; calls of the last month; figures for the invoice; how many messages did they send; is the client near its limit; consumption of an organisation; how busy is this tenant',
    de: 'wie viel verbraucht eine Firma; Speicherplatz eines Kunden; Anzahl der Datensätze eines Mandanten; Aufrufe des letzten Monats; Zahlen für die Rechnung; ist der Kunde nahe an seiner Grenze',
    fr: "combien consomme une société; stockage d'un client; nombre d'enregistrements d'un locataire; appels du mois dernier; chiffres pour la facture; le client est-il près de sa limite",
    es: 'cuánto consume una empresa; almacenamiento de un cliente; número de registros de un inquilino; llamadas del último mes; cifras para la factura; está el cliente cerca de su límite',
  },
  delete_tenant: {
    en: 'delete a company with everything; remove a customer for good; the contract is over, erase all their data; wipe an organisation; close an account and delete it; right to be forgotten of a client; get rid of a test tenant; throw a workspace away; destroy all data of a firm',
    de: 'eine Firma mit allem löschen; Kunden endgültig entfernen; Vertrag vorbei, alle Daten löschen; Mandant löschen; Testmandanten loswerden; alle Daten einer Organisation vernichten',
    fr: "supprimer une société avec tout; retirer un client pour de bon; contrat fini, effacer toutes ses données; supprimer un locataire; se débarrasser d'un espace de test; détruire les données d'une organisation",
    es: 'borrar una empresa con todo; quitar un cliente para siempre; contrato acabado, borrar todos sus datos; eliminar un inquilino; deshacerse de un espacio de prueba; destruir los datos de una organización',
  },
}
