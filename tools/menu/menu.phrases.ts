import type { Phrases } from '#platform/operation.ts'

export const menuPhrases: Phrases = {
  list_menu_items: {
    en: 'what is on our menu; all entries of the navigation; which menu points are there; list the items in the drawer; entries of the home page; which buttons does the phone show; menu items of the portal; hidden menu points too; the navigation as a list',
    de: 'was steht in unserem Menü; alle Einträge der Navigation; welche Menüpunkte gibt es; Einträge der Startseite; Punkte in der Schublade; auch versteckte Menüpunkte',
    fr: "qu'y a-t-il dans notre menu; toutes les entrées de la navigation; quels points de menu existent; entrées de la page d'accueil; points du tiroir; aussi les points cachés",
    es: 'qué hay en nuestro menú; todas las entradas de la navegación; qué puntos de menú existen; entradas de la página de inicio; puntos del cajón; también los ocultos',
  },
  get_menu_tree: {
    en: 'show me my menu; the navigation with its folders; where can I click; menu of a technician on the phone; what may I open; nested menu; the start menu of the app; navigation as people see it; sub menus; how is the menu built up',
    de: 'zeig mir mein Menü; Navigation mit Ordnern; was darf ich öffnen; Menü auf dem Telefon; verschachteltes Menü; Menü wie die Leute es sehen',
    fr: "montre-moi mon menu; navigation avec ses dossiers; que puis-je ouvrir; menu sur le téléphone; menu imbriqué; menu tel qu'on le voit",
    es: 'muéstrame mi menú; navegación con carpetas; qué puedo abrir; menú en el teléfono; menú anidado; menú como lo ve la gente',
  },
  list_menu_targets: {
    en: 'what can a menu entry lead to; which forms can I put on the menu; possible destinations of menu points; things to link from the navigation; choose what a button opens; candidates for the home page',
    de: 'wohin kann ein Menüpunkt führen; welche Formulare kann ich ins Menü nehmen; mögliche Ziele; was lässt sich verlinken; Auswahl für die Startseite; was ein Knopf öffnen kann',
    fr: 'où peut mener une entrée de menu; quels formulaires mettre au menu; destinations possibles; que peut-on relier; choix pour la page d’accueil; ce qu’un bouton peut ouvrir',
    es: 'a dónde puede llevar una entrada del menú; qué formularios poner en el menú; destinos posibles; qué se puede enlazar; opciones para la página de inicio; qué puede abrir un botón',
  },
  get_menu_item: {
    en: 'details of one menu entry; where does this menu point lead; which icon has the button; who sees the menu item; on which channels is this entry shown; what is the entry called in Spanish; read a navigation point',
    de: 'Angaben zu einem Menüpunkt; wohin führt dieser Eintrag; welches Symbol hat der Knopf; wer sieht den Menüpunkt; wie heißt der Eintrag auf Spanisch; einen Navigationspunkt lesen',
    fr: "détails d'une entrée de menu; où mène ce point; quelle icône a le bouton; qui voit ce point de menu; comment s'appelle l'entrée en espagnol; lire un point de navigation",
    es: 'detalles de una entrada del menú; a dónde lleva este punto; qué icono tiene el botón; quién ve este punto; cómo se llama la entrada en francés; leer un punto de navegación',
  },
  create_menu_item: {
    en: 'add a menu entry; put the form on the phone; new button on the home page; link to our web site in the navigation; make a folder in the menu; add the report to the drawer; new navigation point; shortcut to a workflow for the technicians; put something on the start page',
    de: 'Menüpunkt hinzufügen; Formular aufs Telefon bringen; neuer Knopf auf der Startseite; Link zu unserer Webseite in der Navigation; Ordner im Menü anlegen; Bericht in die Schublade',
    fr: "ajouter une entrée de menu; mettre le formulaire sur le téléphone; nouveau bouton sur l'accueil; lien vers notre site dans la navigation; créer un dossier dans le menu; rapport dans le tiroir",
    es: 'añadir una entrada al menú; poner el formulario en el teléfono; botón nuevo en el inicio; enlace a nuestra web en la navegación; crear una carpeta en el menú; informe en el cajón',
  },
  update_menu_item: {
    en: 'change a menu entry; hide the button on phones; other icon for the menu point; let the entry open another form; show the menu item to administrators only; take it out of the tree but keep it; give an entry another target',
    de: 'Menüpunkt ändern; Knopf auf Telefonen verstecken; anderes Symbol; Eintrag soll ein anderes Formular öffnen; nur für Administratoren zeigen; Ziel eines Eintrags ändern',
    fr: "modifier une entrée de menu; cacher le bouton sur téléphone; autre icône; l'entrée doit ouvrir un autre formulaire; montrer aux administrateurs seulement; changer la cible",
    es: 'cambiar una entrada del menú; ocultar el botón en teléfonos; otro icono; que la entrada abra otro formulario; mostrar solo a administradores; cambiar el destino',
  },
  reorder_menu_items: {
    en: 'sort the menu; move an entry to the top; put menu points into a folder; change the order of the buttons; rearrange the navigation; drag a menu item below another; orders should come first in the menu; regroup the home page',
    de: 'Menü sortieren; Eintrag nach oben verschieben; Menüpunkte in einen Ordner legen; Reihenfolge der Knöpfe ändern; Navigation umbauen; Startseite neu ordnen',
    fr: "trier le menu; mettre une entrée en haut; ranger des points dans un dossier; changer l'ordre des boutons; réorganiser la navigation; regrouper l'accueil",
    es: 'ordenar el menú; mover una entrada arriba; meter puntos en una carpeta; cambiar el orden de los botones; reorganizar la navegación; reagrupar el inicio',
  },
  set_menu_item_display: {
    en: 'rename a menu entry; label of a button in German; translate the menu; what the menu point is called in French; other caption for the navigation; text of the button on the home page',
    de: 'Menüpunkt umbenennen; Beschriftung eines Knopfs auf Englisch; Menü übersetzen; wie der Punkt auf Französisch heißt; andere Beschriftung; Text des Knopfs auf der Startseite',
    fr: "renommer une entrée de menu; libellé d'un bouton en anglais; traduire le menu; nom du point en allemand; autre légende; texte du bouton de l'accueil",
    es: 'renombrar una entrada del menú; texto de un botón en inglés; traducir el menú; nombre del punto en francés; otra leyenda; texto del botón del inicio',
  },
  delete_menu_item: {
    en: 'remove a menu entry; take the button off the home page; delete a folder of the menu with all in it; nobody uses this menu point; clean up the navigation; drop an old link from the drawer',
    de: 'Menüpunkt entfernen; Knopf von der Startseite nehmen; Ordner im Menü mit allem löschen; niemand nutzt diesen Punkt; Navigation aufräumen; alten Link aus der Schublade nehmen',
    fr: "retirer une entrée de menu; enlever le bouton de l'accueil; supprimer un dossier du menu avec son contenu; personne n'utilise ce point; nettoyer la navigation; ôter un vieux lien",
    es: 'quitar una entrada del menú; sacar el botón del inicio; borrar una carpeta del menú con todo; nadie usa este punto; limpiar la navegación; quitar un enlace viejo',
  },
  list_home_areas: {
    en: 'where can menu entries stand; which home pages are there; areas of the start page; what is the drawer; places for buttons; home area of the phone',
    de: 'wo können Menüpunkte stehen; welche Startseiten gibt es; Bereiche der Startseite; was ist die Schublade; Plätze für Knöpfe; Startbereich des Telefons',
    fr: "où peuvent être les entrées; quelles pages d'accueil existent; zones de l'accueil; qu'est-ce que le tiroir; places pour boutons; zone d'accueil du téléphone",
    es: 'dónde pueden estar las entradas; qué páginas de inicio hay; áreas del inicio; qué es el cajón; lugares para botones; área de inicio del teléfono',
  },
}
