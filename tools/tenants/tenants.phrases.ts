import type { Phrases } from '#platform/operation.ts'

export const tenantsPhrases: Phrases = {
  provision_tenant: {
    en: 'add a new company; set up another customer organisation; create a tenant with its first administrator; onboard a client; new workspace, account or organisation',
    de: 'neue Firma anlegen; weiteren Mandanten einrichten; neue Organisation mit Administrator',
    fr: 'ajouter une nouvelle société; créer un locataire; nouvelle organisation avec son administrateur',
    es: 'añadir una empresa nueva; crear un inquilino; nueva organización con su administrador',
  },
  list_tenants: {
    en: 'which companies are on this installation; all customer organisations; list tenants with user counts; find a company by its name or host; every workspace',
    de: 'welche Firmen gibt es hier; alle Mandanten auflisten; Organisation nach Namen suchen',
    fr: 'quelles sociétés sont hébergées; liste des locataires; chercher une organisation par nom',
    es: 'qué empresas hay en la instalación; lista de inquilinos; buscar una organización por nombre',
  },
  get_tenant: {
    en: 'details of one company; tell me about a customer organisation; configuration of a tenant; default language and theme of an organisation; is this company suspended; settings of one customer',
    de: 'Angaben zu einer Firma; Einstellungen eines Mandanten; Standardsprache der Organisation',
    fr: "détails d'une société; configuration d'un locataire; langue par défaut de l'organisation",
    es: 'detalles de una empresa; configuración de un inquilino; idioma por defecto de la organización',
  },
  suspend_tenant: {
    en: 'block a whole company; the customer does not pay, lock them out; stop all access of an organisation; disable a tenant; freeze an account but keep its data',
    de: 'eine ganze Firma sperren; Kunde zahlt nicht, Zugang abschalten; Mandant stilllegen',
    fr: "bloquer toute une société; le client ne paie pas, couper l'accès; suspendre un locataire",
    es: 'bloquear toda una empresa; el cliente no paga, cortar el acceso; suspender un inquilino',
  },
  activate_tenant: {
    en: 'let a suspended company back in; reactivate an organisation; the customer paid, unblock them; end a suspension; re-enable a tenant',
    de: 'gesperrte Firma wieder zulassen; Mandant reaktivieren; Sperre einer Organisation aufheben',
    fr: "réactiver une société suspendue; lever la suspension d'un locataire; rétablir l'accès d'une organisation",
    es: 'reactivar una empresa suspendida; levantar la suspensión de un inquilino; devolver el acceso a una organización',
  },
}
