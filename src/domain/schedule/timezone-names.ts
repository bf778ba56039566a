/**
 * The time zone names that the API accepts, and the older names that it replaces. Both lists are the reference's
 * (test/vectors/timezones.json). So clients find the same names here, whichever tz database the runtime has.
 */

/** Names by area: `Riga` under `Europe` is `Europe/Riga`. */
const NAMES_BY_AREA = {
  Africa: `
    Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura
    Cairo Casablanca Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone Harare
    Johannesburg Juba Kampala Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka Malabo
    Maputo Maseru Mbabane Mogadishu Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou Porto-Novo
    Sao_Tome Timbuktu Tripoli Tunis Windhoek`,
  America: `
    Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca Argentina/Cordoba
    Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos Argentina/Salta
    Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Aruba Asuncion Atikokan Atka
    Bahia Bahia_Banderas Barbados Belem Belize Blanc-Sablon Boa_Vista Bogota Boise Cambridge_Bay
    Campo_Grande Cancun Caracas Cayenne Cayman Chicago Chihuahua Ciudad_Juarez Coral_Harbour Costa_Rica
    Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit Dominica Edmonton Eirunepe
    El_Salvador Ensenada Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk Grenada Guadeloupe Guatemala
    Guayaquil Guyana Halifax Havana Hermosillo Indiana/Indianapolis Indiana/Knox Indiana/Marengo
    Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Inuvik Iqaluit
    Jamaica Juneau Kentucky/Louisville Kentucky/Monticello Kralendijk La_Paz Lima Los_Angeles Lower_Princes
    Maceio Managua Manaus Marigot Martinique Matamoros Mazatlan Menominee Merida Metlakatla Mexico_City
    Miquelon Moncton Monterrey Montevideo Montreal Montserrat Nassau New_York Nipigon Nome Noronha
    North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Nuuk Ojinaga Panama Pangnirtung
    Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Acre Porto_Velho Puerto_Rico Punta_Arenas
    Rainy_River Rankin_Inlet Recife Regina Resolute Rio_Branco Santa_Isabel Santarem Santiago Santo_Domingo
    Sao_Paulo Scoresbysund Shiprock Sitka St_Barthelemy St_Johns St_Kitts St_Lucia St_Thomas St_Vincent
    Swift_Current Tegucigalpa Thule Thunder_Bay Tijuana Toronto Tortola Vancouver Virgin Whitehorse Winnipeg
    Yakutat Yellowknife`,
  Antarctica: `
    Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok`,
  Arctic: `
    Longyearbyen`,
  Asia: `
    Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut
    Bishkek Brunei Chita Chongqing Colombo Damascus Dhaka Dili Dubai Dushanbe Famagusta Gaza Harbin Hebron
    Ho_Chi_Minh Hong_Kong Hovd Irkutsk Istanbul Jakarta Jayapura Jerusalem Kabul Kamchatka Karachi Kashgar
    Kathmandu Khandyga Kolkata Krasnoyarsk Kuala_Lumpur Kuching Kuwait Macau Magadan Makassar Manila Muscat
    Nicosia Novokuznetsk Novosibirsk Omsk Oral Phnom_Penh Pontianak Pyongyang Qatar Qostanay Qyzylorda
    Riyadh Sakhalin Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei Tashkent Tbilisi Tehran Tel_Aviv
    Thimphu Tokyo Tomsk Ulaanbaatar Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon Yekaterinburg
    Yerevan`,
  Atlantic: `
    Azores Bermuda Canary Cape_Verde Faroe Jan_Mayen Madeira Reykjavik South_Georgia St_Helena Stanley`,
  Australia: `
    Adelaide Brisbane Broken_Hill Canberra Currie Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth
    Sydney Yancowinna`,
  Etc: `
    GMT GMT+0 GMT+1 GMT+10 GMT+11 GMT+12 GMT+2 GMT+3 GMT+4 GMT+5 GMT+6 GMT+7 GMT+8 GMT+9 GMT-0 GMT-1 GMT-10
    GMT-11 GMT-12 GMT-13 GMT-14 GMT-2 GMT-3 GMT-4 GMT-5 GMT-6 GMT-7 GMT-8 GMT-9 GMT0 Greenwich UCT Universal
    UTC Zulu`,
  Europe: `
    Amsterdam Andorra Astrakhan Athens Belfast Belgrade Berlin Bratislava Brussels Bucharest Budapest
    Busingen Chisinau Copenhagen Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey Kaliningrad
    Kirov Kyiv Lisbon Ljubljana London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow Nicosia Oslo
    Paris Podgorica Prague Riga Rome Samara San_Marino Sarajevo Saratov Simferopol Skopje Sofia Stockholm
    Tallinn Tirane Tiraspol Ulyanovsk Vaduz Vatican Vienna Vilnius Volgograd Warsaw Zagreb Zurich`,
  Indian: `
    Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion`,
  Pacific: `
    Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier
    Guadalcanal Guam Honolulu Johnston Kanton Kiritimati Kosrae Kwajalein Majuro Marquesas Midway Nauru Niue
    Norfolk Noumea Pago_Pago Palau Pitcairn Pohnpei Port_Moresby Rarotonga Saipan Samoa Tahiti Tarawa
    Tongatapu Wake Wallis Yap`,
};

export const TIMEZONE_NAMES: readonly string[] = [
  ...Object.entries(NAMES_BY_AREA).flatMap(([area, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => `${area}/${name}`),
  ),
  'GMT',
  'UTC',
].sort();

/** The current name, then the older names that it replaces. */
const LEGACY_NAMES = `
  Africa/Nairobi Africa/Asmera
  America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Catamarca
  America/Argentina/Buenos_Aires America/Buenos_Aires
  America/Argentina/Cordoba America/Cordoba America/Rosario
  America/Indiana/Indianapolis America/Fort_Wayne America/Indianapolis US/East-Indiana
  America/Nuuk America/Godthab
  America/Argentina/Jujuy America/Jujuy
  America/Indiana/Knox America/Knox_IN US/Indiana-Starke
  America/Kentucky/Louisville America/Louisville
  America/Argentina/Mendoza America/Mendoza
  Pacific/Auckland Antarctica/South_Pole NZ
  Asia/Ashgabat Asia/Ashkhabad
  Asia/Kolkata Asia/Calcutta
  Asia/Ulaanbaatar Asia/Choibalsan Asia/Ulan_Bator
  Asia/Shanghai Asia/Chungking PRC
  Asia/Dhaka Asia/Dacca
  Asia/Kathmandu Asia/Katmandu
  Asia/Macau Asia/Macao
  Asia/Yangon Asia/Rangoon
  Asia/Ho_Chi_Minh Asia/Saigon
  Asia/Thimphu Asia/Thimbu
  Asia/Makassar Asia/Ujung_Pandang
  Atlantic/Faroe Atlantic/Faeroe
  Australia/Sydney Australia/ACT Australia/NSW
  Australia/Lord_Howe Australia/LHI
  Australia/Darwin Australia/North
  Australia/Brisbane Australia/Queensland
  Australia/Adelaide Australia/South
  Australia/Hobart Australia/Tasmania
  Australia/Melbourne Australia/Victoria
  Australia/Perth Australia/West
  America/Rio_Branco Brazil/Acre
  America/Noronha Brazil/DeNoronha
  America/Sao_Paulo Brazil/East
  America/Manaus Brazil/West
  America/Halifax Canada/Atlantic
  America/Winnipeg Canada/Central
  America/Toronto Canada/Eastern
  America/Edmonton Canada/Mountain
  America/St_Johns Canada/Newfoundland
  America/Vancouver Canada/Pacific
  America/Regina Canada/Saskatchewan
  America/Whitehorse Canada/Yukon
  Europe/Brussels CET MET
  America/Santiago Chile/Continental
  Pacific/Easter Chile/EasterIsland
  America/Chicago CST6CDT US/Central
  America/Havana Cuba
  Europe/Athens EET
  Africa/Cairo Egypt
  Europe/Dublin Eire
  America/Panama EST
  America/New_York EST5EDT US/Eastern
  Europe/Kyiv Europe/Kiev Europe/Uzhgorod Europe/Zaporozhye
  Europe/London GB GB-Eire
  Etc/GMT GMT+0 GMT-0 GMT0 Greenwich
  Asia/Hong_Kong Hongkong
  Pacific/Honolulu HST US/Hawaii
  Africa/Abidjan Iceland
  Asia/Tehran Iran
  Asia/Jerusalem Israel
  America/Jamaica Jamaica
  Asia/Tokyo Japan
  Pacific/Kwajalein Kwajalein
  Africa/Tripoli Libya
  America/Tijuana Mexico/BajaNorte
  America/Mazatlan Mexico/BajaSur
  America/Mexico_City Mexico/General
  America/Phoenix MST US/Arizona
  America/Denver MST7MDT Navajo US/Mountain
  Pacific/Chatham NZ-CHAT
  Pacific/Kanton Pacific/Enderbury
  Pacific/Guadalcanal Pacific/Ponape
  Pacific/Port_Moresby Pacific/Truk
  Europe/Warsaw Poland
  Europe/Lisbon Portugal WET
  America/Los_Angeles PST8PDT US/Pacific
  Asia/Taipei ROC
  Asia/Seoul ROK
  Asia/Singapore Singapore
  Europe/Istanbul Turkey
  Etc/UTC UCT Universal Zulu
  America/Anchorage US/Alaska
  America/Adak US/Aleutian
  America/Detroit US/Michigan
  Pacific/Pago_Pago US/Samoa
  Europe/Moscow W-SU`;

export const CURRENT_NAME_BY_LEGACY_NAME: ReadonlyMap<string, string> = new Map(
  LEGACY_NAMES.trim()
    .split('\n')
    .flatMap((line) => {
      const [current = '', ...legacy] = line.trim().split(' ');
      return legacy.map((name) => [name, current] as const);
    }),
);
