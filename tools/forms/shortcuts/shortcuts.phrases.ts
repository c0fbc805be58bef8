import type { Phrases } from '#platform/operation.ts'

export const shortcutPhrases: Phrases = {
  list_form_shortcuts: {
    en: 'which quick filters does the form have; saved filters of a form; list the shortcuts of this form; one-tap lists of the form; tabs above the entries of a form; show my shortcuts here; what can I jump to in this form; presets of a form; quick lists for the crew; which shortcuts are shared; buttons that narrow the form',
    de: 'welche Schnellfilter hat das Formular; gespeicherte Filter eines Formulars; Kurzwahlen des Formulars auflisten; Reiter über den Einträgen; welche Kurzwahlen sind geteilt; Voreinstellungen eines Formulars',
    fr: 'quels filtres rapides a le formulaire; filtres enregistrés du formulaire; lister les raccourcis du formulaire; onglets au-dessus des fiches; quels raccourcis sont partagés; préréglages du formulaire',
    es: 'qué filtros rápidos tiene el formulario; filtros guardados del formulario; listar los atajos del formulario; pestañas sobre las entradas; qué atajos son compartidos; preajustes del formulario',
  },
  get_form_shortcut: {
    en: 'what does this shortcut filter; show one quick filter of a form; definition of a form shortcut; look at the preset of the form; how is the shortcut defined; which rules are in this quick filter; who owns this form shortcut; details of a shortcut; read a saved filter of the form; open the settings of a quick list; is this shortcut still sound',
    de: 'was filtert diese Kurzwahl; einen Schnellfilter des Formulars zeigen; wie ist die Kurzwahl definiert; wem gehört die Kurzwahl; Regeln des Schnellfilters; stimmt die Kurzwahl noch',
    fr: 'que filtre ce raccourci; montrer un filtre rapide du formulaire; comment le raccourci est-il défini; à qui est ce raccourci; règles du filtre rapide; le raccourci est-il encore juste',
    es: 'qué filtra este atajo; mostrar un filtro rápido del formulario; cómo está definido el atajo; de quién es el atajo; reglas del filtro rápido; sigue siendo correcto el atajo',
  },
  create_form_shortcut: {
    en: 'add a quick filter to a form; make a shortcut for overdue entries; keep this filter under the form; new one-tap list for the crew; a tab for my own entries in the form; create a preset of a form; save the filter I use every day in this form; button for urgent ones in the form; give everybody a shortcut; pin a filter to a form; quick list of what is mine',
    de: 'dem Formular einen Schnellfilter geben; Kurzwahl für Überfälliges anlegen; diesen Filter beim Formular behalten; Reiter für meine eigenen Einträge; Knopf für dringende Einträge; neue Kurzwahl im Formular',
    fr: 'ajouter un filtre rapide au formulaire; créer un raccourci pour les retards; garder ce filtre sous le formulaire; onglet pour mes propres fiches; bouton pour les urgences; nouveau raccourci du formulaire',
    es: 'añadir un filtro rápido al formulario; crear un atajo para lo atrasado; guardar este filtro en el formulario; pestaña para mis propias entradas; botón para lo urgente; nuevo atajo del formulario',
  },
  update_form_shortcut: {
    en: 'change a quick filter of a form; rename a shortcut; share my shortcut with all; edit the rules of a form shortcut; the overdue tab should look back a week; adjust a preset of the form; hide a shortcut from agents; correct the filter behind the button; stop sharing a quick list; new description for a shortcut; alter what the shortcut narrows',
    de: 'Schnellfilter des Formulars ändern; Kurzwahl umbenennen; meine Kurzwahl mit allen teilen; Regeln der Kurzwahl bearbeiten; Filter hinter dem Knopf berichtigen; Kurzwahl nicht mehr teilen',
    fr: 'modifier un filtre rapide du formulaire; renommer un raccourci; partager mon raccourci avec tous; changer les règles du raccourci; corriger le filtre du bouton; ne plus partager le raccourci',
    es: 'cambiar un filtro rápido del formulario; renombrar un atajo; compartir mi atajo con todos; editar las reglas del atajo; corregir el filtro del botón; dejar de compartir el atajo',
  },
  delete_form_shortcut: {
    en: 'remove a quick filter from a form; delete a shortcut; take the tab away from the form; we no longer need this preset; get rid of a form shortcut; drop a saved filter of a form; unpin a filter; clear out old shortcuts; remove the button for urgent ones; erase a quick list; delete my own shortcut',
    de: 'Schnellfilter vom Formular entfernen; Kurzwahl löschen; Reiter vom Formular nehmen; diese Voreinstellung brauchen wir nicht mehr; alte Kurzwahlen aufräumen; Knopf für Dringendes entfernen',
    fr: 'retirer un filtre rapide du formulaire; supprimer un raccourci; enlever l’onglet du formulaire; ce préréglage ne sert plus; faire le ménage des raccourcis; enlever le bouton des urgences',
    es: 'quitar un filtro rápido del formulario; borrar un atajo; quitar la pestaña del formulario; este preajuste ya no hace falta; limpiar atajos viejos; quitar el botón de lo urgente',
  },
  list_form_shortcut_records: {
    en: 'entries under this quick filter; open the overdue tab of the form; which records does the shortcut show; run a form shortcut; what is behind this button; my own entries by the shortcut; list what the preset narrows to; tap the urgent list; records of a quick list; use a saved filter of the form; go through the entries of a shortcut',
    de: 'Einträge unter diesem Schnellfilter; Reiter Überfällig öffnen; welche Datensätze zeigt die Kurzwahl; Kurzwahl ausführen; was steckt hinter dem Knopf; gespeicherten Filter des Formulars benutzen',
    fr: 'fiches sous ce filtre rapide; ouvrir l’onglet des retards; quelles fiches montre le raccourci; exécuter un raccourci du formulaire; qu’y a-t-il derrière ce bouton; utiliser un filtre enregistré du formulaire',
    es: 'registros bajo este filtro rápido; abrir la pestaña de atrasados; qué registros muestra el atajo; ejecutar un atajo del formulario; qué hay detrás de este botón; usar un filtro guardado del formulario',
  },
}
