/** Words that people make passwords of. They are compared without the digits and signs around them. */
const WORDS = `
  aaaaaa abc abcabc abcd abcdef abcdefg abcdefgh access admin adminadmin administrateur administrator amazon
  america andrew android angel angels anthony anything apple april arsenal asdasd asdf asdfgh asdfghjk
  asdfghjkl ashley august autumn azerty azertyuiop baby babyboy babygirl backup backups barcelona baseball
  basketball batman bbbbbb beautiful benvenuto berlin bienvenue blessed business buster california change
  changeit changeme charlie chelsea chocolate company computer contrasena contraseña cookie corporate corvette
  cowboys cron cronjob crystal daniel darling database debian december default demo diamond dragon eagles
  england enter enterpassword facebook family february ferrari flower football forever fortnite france freedom
  friday friends gandalf geheim george germany ginger golden google guest hallo harley haslo healthcheck
  healthchecks heaven hello helloworld hobbit hockey honey hunter ilove iloveu iloveyou internet iphone
  january jennifer jessica jesus jordan joshua july june juventus killer lakers letme letmein letmeinnow
  lightning linkedin linux liverpool login logmein logon london losenord lovely loveme lover loveyou madrid
  maggie manchester march master matrix matthew may mercedes merlin michael microsoft minecraft monday monitor
  monitoring monkey motdepasse mustang mylove mypass mypasswd mypassword naruto network newyork nicole
  nopassword nothing november october office open opensesame openup orange p@ssw0rd p@ssword pa55word packers
  paris parola pass pass1word passe passme passpass passw passw0rd passwd password password1 passwort pepper
  phoenix pikachu pokemon porsche princess purple qazwsx qazwsxedc qweasd qweasdzxc qweqwe qwer qwerty
  qwertyui qwertyuiop qwertz qwertzuiop ranger realmadrid robert roma root rootroot salasana samsung saturday
  secret secret1 secrets secure security senha september server shadow signin silver soccer something
  spiderman spring starwars steelers summer sunday sunshine superman superuser sweetheart sysadmin temp
  temporary temppass test tester testing testpass tests testtest testuser texas thomas thunder thursday tigger
  tocsin toor trustno trustnoone tuesday twitter ubuntu uptime user useruser wachtwoord wednesday welcome
  whatever willkommen windows winter world wsxedc yamaha yankees yellow zaqwsx zxcv zxcvbn zxcvbnm zxczxc
  йцукен пароль привет россия
`;

/** Passwords as a whole. */
const WHOLE = `
  !qaz2wsx 11223344 1122334455 123123123 12341234 12344321 123454321 123qwe123 123qweasd 13579246 147258369
  159753456 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 24681012 27182818 31415926
  314159265 741852963 789456123 963852741 987456321 a1234567 a1b2c3d4 aa123456 abc12345 abcd1234 admin123
  admin1234 asd12345 correcthorsebatterystaple dragon123 iloveyou1 letmein123 monkey123 p4ssw0rd p@$$w0rd
  p@ssw0rd1 pa$$w0rd pa$$word passw0rd123 password123 q1234567 q1w2e3r4 q1w2e3r4t5 qwe12345 qwe123qwe qwerty12
  qwerty123 root1234 test1234 trustno1 user1234 welcome123 zaq12wsx zxc12345
`;

/** The passwords that are tried first, in lower case. Runs along the keyboard and repetitions are found by rule. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set([...WORDS.split(/\s+/), ...WHOLE.split(/\s+/)]);
