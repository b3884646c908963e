"""The words of everyday turns in about twenty languages, as data: what the relevance floor holds to be no task."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import normalize

_MARKS = re.compile("[\u0300-\u036f]+")


def folded(text: str) -> str:
    """The text in lower case without accents on its letters."""
    if text.isascii():
        return text.lower()
    return normalize("NFC", _MARKS.sub("", normalize("NFD", text.casefold())))


_EVERYDAY = """
able above accept accident accommodate ache across actual actually add address adult afraid after afternoon again age
ago agree ahead air airport alarm alive allow almost alone along already alright although always amaze amazing angry
animal annoy annoying another answer anybody anymore anyone anything anyway apart apologize apologise apple appreciate
approve approved april arm around arrive arrow article ask asleep attach attachment august aunt autumn available avoid
awake away awesome awful baby back background bad bag bake ball banana bath bathroom beach bear beautiful because
become bed bedroom beer before begin behind believe below best bet better between big bigger bike bill bird birthday
bit black blank block blood blow blue board boat body boil bold book bore boring borrow boss both bother bottle bottom
box boy brain bread break breakfast breath bright brilliant bring broken broke brother brown bug build bullet bus busy
butter button buy bye cake calendar call calm cancel candle car card care careful carry cash cat catch cell center
centre chair chance change chapter charge chart chat cheap check cheer cheers cheese chicken child children chip
choose chocolate christmas church circle city clean clear clearly clever click close clothes cloud code coffee coin
cold collect color colour column come comma comment commit common company compare complete computer concentrate
confuse congratulation connect continue conversation convert cook cool copy corner correct cost couch cough count
country couple course cousin cover cow crazy cream credit cross crowd cry cup curious current cursed customer cut cute
dad dance dark data database date daughter day dead deal dear december decide deep default definitely degree delay
delete delicious deliver dentist depend describe desk detail die diff difference different difficult dinner direct
direction dirty disappoint dish doc doctor document dog door double doubt down draft draw dream dress drink drive drop
dry due during each ear early earlier earth easier east easy eat edge edit effort egg eight eighteen either eleven
else email emoji emojis empty end enemy english enjoy enough entire entry error euro euros even evening event ever
every everybody everyone everything everywhere exact exactly example except excite excited exciting excuse exercise
exhausted expect expensive explain explanation extra eye face fact fail fair fall false family famous fan fantastic
far farm fast faster father fault favorite favourite fear february feed feel feeling felt few field fifteen fifth
fifty fight figure file fill film final finally find fine finger finish fire first fish fit five fix flat flight flip
floor flower fly fold folder follow font food foot football forget forgot forgive form formal formally former forty
forward four fourteen fourth free freeze french fresh friday fridge friend friendly friendlier front fruit frustrate
frustrated frustrating full fun function funny furniture further future game garden gas gave german gift girl glad
glass god gone good goodbye goodnight gorgeous got grade grammar grandma grandpa grass grateful gray great green grey
ground group grow guess guest guy hair half hall hand handle hang happen happy hard hardly hate haha head header
headache heading hear heard heart heat heavy height hell hello help helpful hero hi hide high hill hire history hit
hmm hold hole holiday home honest honestly hope horrible horse hospital hot hotel hour house huge hundred hungry hurry
hurt husband ice idea ignore image imagine impress impressed inch include indeed inside instead interest interested
internet introduction intro invoice island issue italian item january japanese jealous job join joke journey joy juice
july jump june keep key keyboard kid kill kilometer kilometre km kind kitchen knee knew knock know known label lake
lamp land language laptop large last late lately later laugh law lay lazy lead leaf learn least leave left leg lemon
length less lesson letter library lie life lift light limit line link list listen little live living load local lock
lonely long longer look loop lose loss lost lot loud love lovely low lower luck lucky lunch mad made magazine mail
main make mama man manage many map march mark market married match matter maybe meal mean meaning meant meat medicine
meet meeting member memory men mention mess message met middle mile milk million min mind mine minute mirror miss
mistake mix model mom moment monday money monitor month mood moon morning mother mountain mouse mouth move movie mum
museum music nah name narrow narrower nature near nearly neat necessary neck neighbor neighbour nervous neither never
new news next nice night nine nobody noise none noon nope normal north nose note noted nothing notice november nowhere
number object obvious obviously occur october odd offer office often oh oil ok okay old one onion online open opinion
opposite option orange order original otherwise outcome output outside oven pack page paid pain paint pair pan paper
paragraph parcel pardon parent park parking part partner party pass password past pasta pay peace pen pencil people
pepper perfect perhaps period permission person pet pharmacy phone photo piano pick picture piece pig pill pillow pink
pizza place plain plan plane plant plate play pleasant pleased pleasure plenty plz pls pocket point police polite pool
poor popular position possible post pot potato pound power practice practise prefer prepare present presentation press
pretty previous price print printer private probably problem program progress project promise proper proud public pull
puppy purple purpose push quarter queen question quick quickly quiet quit quite race radio rain raining raise random
rather reach read reader ready real realise realize really reason receive recent recommend record red refuse regular
relax relieve relieved remain remember remind reminder remove rename rent repeat reply report request rerun rest
restaurant result return revert rewrite rice rich rid ride right ring rise river road robot rock role roll roof room
rose round row rude ruin rule run sad sadly safe said salad sale salt sandwich sat saturday save saw scared schedule
school score scratch scream screen sea search season seat second secret section seem seen sell send sense sentence
separate september serious seriously serve set seven several shape share sharp sheet shelf shine ship shirt shock shoe
shoes shop short shorter shortly shot shoulder shout shouted show shower shut shy sick side sigh sign silent silly
silver similar simple simpler simply since sing single sir sister sit site situation six size skip sky sleep sleepy
slide slides slight slightly slow slowly slower small smaller smart smell smile smoke smooth snack snow soap sock soft
sold somebody somehow someone something sometimes somewhere son song soon sorry sort sound soup south space spanish
speak special specific speed spell spelling spend spoke spoon sport spot spreadsheet spring square staff stand star
stare start station stay steal step stick still stock stomach stone stop store storm story straight strange street
stress stressed string strong stuck student study stuff stupid style subject sudden suddenly sugar suggest suggestion
sum summer summarise summarize summary sun sunday sunny super supper suppose sure surprise surprised sweet swim switch
system tab table taco taken talk tall task taste taxi tea teach teacher team tear tell temperature ten terrible test
text thank thanks thankful theirs thick thin think third thirsty thirteen thirty thought thousand thread three threw
throw thursday thx ticket tidy tie tight till time timer tip tired title toast today together toilet told tomato
tomorrow tone tongue tonight took tooth top topic total touch tough tour toward town toy track traffic train translate
translation trash travel tree trick trip trouble true truly trust truth try tuesday turn tv twelve twenty twice two
type typo ugly ugh umbrella umm uncle understand understood undo unfortunately unit until update upset usual usually
vacation vegetable version view village visit voice volume wait wake walk wall wallet war warm warmer warn wash waste
watch water weak wear weather wedding wednesday week weekend weight weird welcome went west wet whatever wheel
whenever whichever white whoever whole whose wide wider width wife wifi wild win wind window wine winner winter wire
wish woke woman women wonder wonderful wood word wording work worker world worry worse worst worth wow write wrong
wrote yard yeah year yellow yep yesterday yo young yourself yup zero aha alas argh awww bday boo bravo brb btw bummer
congrats dude duh eh fyi gee gonna gosh gotcha gotta heh hehe hey heyyy hiya hm hmmm hooray howdy hurray idk imo jeez
jk kinda kk lemme lgtm lmao lmk lol mate meh nevermind nvm np oof oops omg ouch phew ping rofl roger sec shush sup ta
tada teh thanx thnx tldr tmr ttyl tysm uh uhh um uhm wanna whew whoa whoops wtf xd xoxo ya yall yay yeh yikes yum
sounds gracias aren couldn didn doesn don hadn hasn haven isn ll mustn needn re shouldn ve wasn weren won wouldn tl dr
tlc ain absolute absolutely according admire admit adore advice aim amount ancient anger ankle anxious anxiety
apartment apron armchair arrange arrival aside assume atmosphere attempt attention attic attitude average aware bacon
balcony bandage barbecue bargain basket bbq beans beard beat bee beef begun behave belly belong belt bench beneath
beside besides bite bitter blanket blind blister blouse bone boots borrowed bought bowl bracelet brave breathe breeze
brick bride brief broad broom broth bruise brush bubble bucket burn burnt bush buzz cabbage cabin cafe camp can't
candy cap carpet carrot cartoon casual ceiling celebrate celebration century cereal chain character charm chase chatty
cheek cheerful cherry chest chew chill chilly choir chore chores chunk cigarette cinema classmate claw clerk climb
cloth cloudy coach coast coat coconut colleague comb comfort comfortable comfy complain complaint completely
compliment concert concerned confess confident confused consider cookie corn costume cosy cozy counter courage crack
cramp crash creature creep crisp crush cucumber cuddle curly curtain cushion daddy daily damage damp dare darling dawn
daylight deaf deck decent decorate definite delight delighted delightful depressed depressing desert deserve desperate
dessert destroy diary dice diet digging dining disagree disaster disgusting distance dizzy dollar dollars dot dozen
drag drama drawer drawn drew drip drove drunk duck dull dumb dust dusty duty eager earn earring elbow elderly elephant
elevator embarrass embarrassed embarrassing emotion emotional employee encourage energy engaged enormous entirely
envelope equal especially everyday evil excellent exhausting expected explore express extremely eyebrow fabric
fabulous faint faith fasten fate faucet favour favor feather fed fellow fence fever fiance fiancee fiction fierce
figured finished fireplace firm fitness flame flavor flavour flew flood flour flu fluffy flute foggy folks fond fool
foolish foreign forest forever fork fortunately fortune freedom freezer frequently fries frog frozen fry fulfil
funeral furious gain garage garbage garlic gate gather general generous gentle gentleman gently genuine ghost giant
giggle ginger glance glove gloves glue goat gossip grab grandfather grandmother grandparents granny grapes grave greet
greeting grin grip grocery groceries grumpy guard guessing guilty guitar gum gym habit haircut ham hammer handsome
handy harm hat haul haunt hay headphone headphones heal health healthy heartbroken heater heaven hedge heel helmet
herb herself hesitate hiccup hidden himself hint hobby honey honeymoon honor honour hood hook hopeful hopefully
hopeless horn host hug hum human humid humour humor hunger hunt hut icecream ideal ill illness immediate immediately
impatient impossible inches incredible inner insane insect insist insomnia invite invitation iron irritated itself
itch jacket jam jar jaw jeans jet jewel jog jogging juicy jumper jungle junk kettle kick kidding kindly kindness king
kiss kit kite kitten knife knit knot lad lady lamb lane laundry lawn leather lecture leftover leftovers lend lettuce
lid lightning limb lion lip lips liquid lit litre liter litter loaf loan lobby lounge lover lump lung luggage lullaby
maid mall manner manners marathon marriage marvelous mask mass massage mattress mayor meadow mechanic melody melt
memories mental mercy messy midday midnight mild minus miserable missed misunderstand misunderstood moan mobile modern
moisture monkey monster morn mosquito mostly motor motorbike mud muffin mug muscle mushroom mustard myself mystery
nail naked nap napkin nasty native naughty nearby needle negative nephew nerve nest net newspaper nickname niece
nightmare nod noisy noodle noodles noticed nowadays nut nuts oak obey occasion ocean olive omelette ongoing onto
opened opportunity ordinary ought ourselves outdoor outdoors outfit overnight overwhelmed overwhelming owe owner
oxygen pace package packed pad painful pajamas palace pale palm pancake panic pants parade parrot passenger passport
patience patient patio pause paw pea peach peaceful peanut pear peel peer percent performance perfume permit picnic
pie pigeon pile pin pine pipe pity plaster plastic plumber poem poet poison pole politely pond pony pop porch pork
potatoes powder powerful pray prayer precious pregnant pretend prince princess prize pronounce protect proven pub
pudding pumpkin punch pure purse puzzle queue rabbit rage railway rainbow rainy ramen rare rarely raw razor rearrange
rebuild recently recipe reckon recover refreshing refrigerator regard regret reheat relation relationship relatives
relief religion reluctant rely remark remote renovation rephrase reschedule resolve respect responsible restless
retire reunion reward rhyme rhythm ribbon riddle ripe risk roast romantic roommate root rope rotten rough roughly
routine rub rubber rubbish rug rumor rush sack sacred sail sailor sake salary salmon sandal sandals sauce saucepan
sausage scare scarf scary scene scent scissors scoop scold scooter seafood seal seaside secretly seed seek seldom
selfish semester shade shadow shake shaky shallow shame shampoo shave shed sheep shell shelter shiny shiver shore
shorts shovel shrimp shrug sight sink sip sleepless sleeve slept slice slip slipper slippers slope smelly sneeze snore
sofa soil sore soul sour spare spark spice spicy spider spill spirit spoil sprain spread squeeze squirrel stain stairs
stamp starve starving steak steam steep stew stiff sting stir stocking stolen stool stormy stove stranger strangers
strawberry stream strength stretch strike stroll stubborn stunning subway suffer suit suitable suitcase sunflower
sunglasses sunlight sunrise sunset sunshine supermarket surely surf surface sweat sweater sweep sweetheart swing
swollen sword syrup tail tale talent tan tap tape target tasty teapot tease teenager teeth telephone television temper
tempted tend tennis tense tent terribly terrified textbook theater theatre therapist therapy thief thigh thoughtful
threat thrilled throat throughout thumb thunder thunderstorm tiger tights tiny tiring tiredness toe tomatoes toothache
toothbrush toothpaste torn tourist towel tower treat treatment tremendous trousers truck trumpet tube tummy tuna
turkey twin twins unable uncomfortable underneath underwear unexpected unhappy uniform universe unless unlucky
unpleasant upstairs downstairs urgent useless vacuum valley van vanilla vase veggie veggies vegetables violin vitamin
vomit waist waiter waitress wander wardrobe warmth warning washing wave wax weakness wealth wed weep weigh whale
whisper whistle wicked wig wise witch wolf wooden wool workout worm worried worrying worthless wound wrap wrist yawn
yoga yoghurt yogurt youth yummy zip zipper zoo america american africa african asia asian australia australian austria
belgium berlin brazil britain british canada canadian china denmark dubai dublin dutch egypt england europe european
finland france germany greece greek hongkong india indian ireland irish istanbul italy japan korea korean lisbon
london madrid mexican mexico milan moscow munich netherlands norway osaka paris poland polish portugal portuguese rome
russia russian scotland seoul shanghai singapore spain sweden swedish switzerland sydney taiwan tokyo toronto turkish
ukraine usa vienna vietnam beijing delhi mumbai amsterdam barcelona chicago boston york angeles francisco deutsch
englisch francais espanol anglais ingles inglese tedesco italiano alemao deutschland
"""

_EVERYDAY_ELSEWHERE = """
abend aber aendern alarm alles als also alte andere anderen anderer anders antwort antworte antworten arbeit auto bald
beide beim besser bild bis bisschen bleibt brauch brauche brauchst brot bus code danach danke dann datei deine diese
diesen dieser dieses dir doch dokument dort drei dritte dritten durch echt einfach einmal email ende endlich englisch
erinnere erst erste ersten essen etwas fahren fehler fertig freitag freue freundlich freundlicher freut frueh
frühstück funktioniert ganz gar geandert gehen geht genau gerade gerne gestern getan gibt gleich gruss gut gute guten
guter habe haben hab hallo hast hat hatte haus heiss heisst heute hier hilfe hin hinten hoch hund immer ja jetzt
kaffee kalt kannst kaputt katze kaufen kein keine klar klein kleiner klingt koche kommt konnen konntest kurz kurzer
lang langer lass lassen lauft leider letzte letzten letzter leute lieber lies liest link losche loschen mach machen
macht mail mal mehr mein meine meinem meinen meiner meinst meinte milch minuten mittag montag moin morgen mude mutter
nach nachricht nachste nachsten nacht name nehmen nein nett neu neue nicht nichts nie nimm noch nochmal nochmals nur
nerven nervt oben ohne okay papa passiert passt prima regen regnet rechnung richtig ruckgangig sache sag sagen satz
schade schlecht schnee schneit schnell schon schreib schritt sehen sehr seite seit selbe selber siehst so sonntag
sorry spat später spater spiel spielen stell stimmt stunde stunden super tabelle tag tage termin text titel toll
tschuss tun uhr und unten unser verstehe verstanden versuch versuche viel viele vielen vielleicht vier vom von vor
vorher vorschlag warte warten warum was weg weiter weiss weisst welche welcher wer werde wetter wieder wiederhole
willst wirklich wo wochenende woche wort wurde zahl zahlen zeig zeige zeit zeile zufrieden zug zurück zuruck zwei
zweite zweiten zwischen accord aller alors ami an annule apres apres-midi assez aujourd aussi autre autres avant avoir
bas beau beaucoup bien bientot blague bon bonjour bonne bonsoir bref cafe ca cela celui celle chat chaud chien chose
ciel cinq colonne combien comme comment compris contente content continue continuez corrige couleur coup courses
courriel court courte d demain depuis dernier derniere derniers deux devant dire dis dit dites document donc donne
dors eau elles encore enfin ensuite entre envoie erreur essaie essayer etait etais ete etre exactement exemple facture
faim faire fais fait faut fatigue fatiguee fichier fin fois francais froid garde genial gentil grand gros hate heure
heures heureux ici ils image jamais jour journee juste l lait laisse leur lien ligne liste lundi m maintenant mais
maison manger marche mardi marre matin mauvais meme merci mere message met mets meteo mieux minutes moi moins mois
monde montre mot n neige nom non nouveau nouvelle nuit ok on ou oublie oui pain page par parce parfait parle part
partie pense petit petite peu peut peux phrase photo plait plutot pluie pourquoi pouvez pouvoir premier premiere
prends presque probleme prochain puis quand quatre quel quelle quelque quelles quels question quoi rappelle
rappelle-moi recommence refais remets repas repete repond reponds reponse retour reunion reveille revenir rien s salut
samedi sans semaine sens sera serait si simple soir soleil sommes suis suite supprime sur sympa t table tableau tard
temps texte titre toi ton tot toujours tous tout toute toutes tres triste trois trop trouve trucs ta tes va vais vas
version veux viens vite voici voila voir vois votre vrai vraiment vu week-end weekend y abajo ademas ahora algo
alguien alla alli amigo anade antes anterior aquel aqui archivo arriba asi aun aunque ayer ayuda bajo bastante boton
breve buen buena buenas bueno buenos cada calor cambia cambiar cambio cambiaste cancela casa casi chiste cinco claro
cocina codigo columna comer comida como compra comprar contento continua correo corto corta cosa cosas cual cuando
cuanto cuatro cuenta da dado de deja demasiado dentro desde despues dia dias dice dijo dime dinero donde dormir dos eh
ejemplo ella ello ellos en encanta encima entonces enviar envia eres error esa ese eso esos esta estaba estan estar
estas este esto estos estoy estuvo exacto facil falta favor fecha feliz final foto frase frio fue fuera gente gracias
gran grande gusta ha hace hacer hacia haga hago has hasta hay haz he hecho hemos hijo hizo hola hora horas hoy idea
igual imagen importante intenta ir jaja jajaja junto larga largo leche leer linea lista listo llama llamar llego
lluvia llueve luego lugar lunes manana mande martes mas me mejor menos mensaje mes mesa mira misma mismo momento mucha
muchas mucho muchos muy nada nadie necesito ni ningun noche nombre nos nosotros nueva nuevo numero nunca ola opcion
otra otras otro otros pagina palabra pan para parece parrafo parte pasa pasado pedido pero perfecto perro persona
pequeno poco podemos poder podrias pon poner pongas porque primera primero primer problema prueba pude puede puedes
pues punto puedo que quien quiero quieres quita realmente recuerda recuerdame repite repetir respuesta resumen saber
sabes sabado se segunda segundo seguro semana senor ser seria sido siempre siento sigue siguiente sin sobre sol sola
solo somos soy su suena sueno sus tabla tal tambien tampoco tan tanto tarde te tema tengo tener ti tiempo tiene tienes
titulo toda todavia todo todos tomar trabajo tu tus ultima ultimo una unos usa usted vale vamos ver verdad vez viene
viernes vista vivir voy vuelve ya abbastanza adesso altra altre altri altro amico anche ancora aperto appena aspetta
attimo bella bello bene bravo buon buona buonanotte buonasera buongiorno caffe cambiato caldo cancella capito cena
cerca certo che chi ciao cinque codice cosi colonna com come comprare credo dai dalla dei del della delle dello detto
dimmi di documento domani domenica dopo dove due e ecco era esatto esempio essere fa facciamo fai fame fammi fare
fatto felice file fine freddo fuori gatto gia giorno giusto gli grazie hai hanno ho ieri il in infatti insieme invece
io la latte lavoro le lei leggi lo loro lui lunedi ma mai male mamma mangiare mattina meglio meno messaggio metti mia
mie mio minuti molto nel nella nessuno niente noi nome nostro notte nuova nuovo oggi ora ore ottimo parla parola per
perche perfetto piace piacere piccolo pioggia piove piu po poi possiamo posso prego prendi primo prova puoi qua
qualche qualcosa quale quando quanto quattro quella quelli quello questa queste questi questo qui ragazzi ricorda
ricordami riga riprova rispondi risposta riunione sa sabato salve scritto scrivi scusa sei secondo seconda sembra
sempre senti senza settimana sia siamo sono sotto spero stai stanco stanca stare stato stasera stesso stessa sto
subito sul suo tabella tempo testo titolo tra tre troppo tua tuo tutti tutto un uno vai vado vedi venerdi vero
versione via visto vita voglio volta vorrei vuoi acho agora ai ainda alem alguem alguma almoco amanha ao aos apaga
aquela aquele arquivo assim ate boa bom botao brigado cachorro cade cama cansado cansada cedo chuva chover cima coisa
coluna conversa correto cortar cuidado curto daqui das deixa demais depois desculpa desculpe disse diz dois domingo
ela ele eles em enfim entao erro essa esse estamos estao estava estou eu exatamente exemplo faca fala falar faz fazer
feira ficar ficou fim foi fora gosta gostei gosto hoje ideia imagem isso isto janta jeito legal leite lembra lembrar
lembre linha logo mae manda mandar manha melhor menor mensagem mesma mesmo meu minha minutos muda mudar mudou muita
muito nao nem nenhum ninguem noite nossa nossas nova novo oi onde ontem opcao otimo outra outro paragrafo passado pela
pelo pessoa pode podes poderia pois ponto por pouco pra praia preciso primeira primeiro proxima proximo quais qual
quarta quase quem quer quero quinta resposta resumo reuniao sabe sao seguinte sem serio seu sexta sim sua tabela
talvez tambem tanta tao tem tenho tenta tente ter terca teve texto trabalho troca tudo uma umas valeu ve vem verdade
versao vida voce voces vou alle bedankt beter beetje bent ben dag dan dank dat die doe doen doei een eens er ga gaat
gedaan geen goed goede goedemorgen graag haal heb heeft hebben heel hem het hetzelfde heus hij hoe hoi iets ik is jij
je kan keer klaar klinkt klopt kom korter kun laat later leuk maak maar mag meer mij mijn moe moet mooi na naar nee
niet nieuwe nog nu ochtend of om ook op opnieuw over probeer regel snel straks tijd toch tweede uit uur van vandaag
veel verder vergeet voor vorige waar waarom wacht wat weer week wel welke werk wie wil wilt wordt ze zeg zet zien zijn
zo zonder ale bardzo bo byc byl chce cos czas czy co dobra dobranoc dobry dobrze do dobre dziekuje dzieki dzien dzis
dzisiaj gdzie go i ide inny inna jak jakie jaka jest jeszcze jestem juz kiedy krocej kto która ktory lepiej malo mam
mi mnie moge moj moze nadal niz nic no nowy od ona oni pogoda potem prosze przed przepraszam raz sie siema sobie spoko
swietnie tak tam taki ten teraz tez to trochę troche ty tylko w wszystko wiec wiem witam wroc wszystkie z za zeby zle
znowu zrob zmien acaba ama ana aslinda bana baska bekle belki bence beni bir biraz boyle bu bugun cok daha degil
degistir devam dur et evet fazla geri gibi gunaydin guzel hala hangi hava hayir haydi her hic icin ile ise iyi kadar
kez ki kisa kim lutfen merhaba mu nasil nasilsin ne neden nerede niye o olarak oldu olsun onu oyle peki sabah saat
sagol sen senin simdi son sonra soyle tamam tekrar tesekkur tesekkurler var yap yarin yine yok yorgun yorgunum zaman
ada akan aku anda apa apakah atau bagus baik banyak baru begitu belum benar besok bisa boleh bukan coba cuaca dari
dengan dulu gak halo hari harus ini itu jadi jam jangan juga kalau kalian kami kamu kapan karena kasih ke kembali
kenapa kita ubah lagi lanjut lanjutkan lebih lupa makasih malam mana mau maaf nanti nggak oke orang pagi pendek saja
sama sampai satu saya sebentar sekarang selamat semua siang siapa sih sudah tadi terima tetap tidak tolong untuk yang
anh ban bao biet cam can chao cho chua con cua day dang duoc gi gio hom hon khong lai lam len minh nay ngan nghe ngu
nhe nhung nua roi tai the thoi thi tiep troi tuc vang viet voi xin xong aap aaj acha accha aur bahut bhai dhanyavad
haan hain hua kaise kal kar karo kya kyun main mera mujhe nahi namaste phir raha shukriya theek thik thoda yaar yeh
"""

_EVERYDAY_SCRIPTS = """
а автобус алло без благодарю больше был была были было быть в вам вас ваш весь вечер вечера вода вот время все всем
всё встреча второй вторую вторая вы выходные где год да давай давайте два две делать дела делай день дня для до доброе
добрый дождь дом другой другая другую другое ещё еще ему если есть ждать завтра зачем здесь здравствуй здравствуйте и
идет из извини извините или имя их к как какая какой кажется картинка кто когда код конечно конец короче кофе кошка
купить куда ладно ли лучше люблю мама меня мне много может можно можешь мой моя мы на надо назад напомни написал
напиши наоборот начала наш не него нет неделя ни ничего но новый ночи нравится нужно о об обед один ок он она они
опять ответ отлично отмени отчёт очень ошибка первый первую перед письмо по погода погоди повтори подожди пожалуйста
пока покажи понедельник понял поняла понятно попробуй после последний последнюю последнее потом потому почему поменял
правда привет предыдущий при пришли про продолжай прости просто работа работает работу раз рад ребята с сам свой
сделай сделал себя сегодня сейчас скажи сколько слишком слово снег снова собака согласен сообщение спасибо спать
спокойной стало старый стоп строка строку сюда так таблица там твой тебе тебя текст теперь то тогда того тоже только
тот точно третий ты у уже убери удали устал устала утро утра файл фото хорошая хорошо хочу час часов чего человек чем
через что чтобы чуть эта эти это этого этот этой я язык молоко أنا أنت الآن الله إلى أهلا إنه اليوم تمام جدا جيد حسنا
شكرا صباح الخير غدا في كل كيف لا لماذا لك ما ماذا مرة مرحبا مساء من هذا هذه هل هنا هو هي و يا نعم على عن أخرى أكمل
السلام عليكم الطقس है हैं हाँ नहीं और का की के को में मैं से यह वह ये वो क्या कैसे कैसा कब कहाँ कौन क्यों धन्यवाद
शुक्रिया नमस्ते ठीक अच्छा फिर बहुत आज कल थोड़ा दोबारा कर करो करें हो रहा रही मुझे मेरा आप आपका तुम 네 넵 예 응 아니
아니요 아뇨 안녕 안녕하세요 감사 고마워 고맙습니다 알겠습니다 알겠어 좋아 좋아요 좋은 그래 그래요 그거 그것 그건 그게
그냥 그럼 그렇게 그리고 근데 하지만 그래서 이거 이것 이건 이게 이제 저거 저건 저기 다시 다음 계속 계속해줘 마지막 처음
첫 번째 두 세 조금 더 짧게 길게 좀 많이 너무 정말 진짜 아주 아까 방금 지금 오늘 내일 어제 아침 점심 저녁 밤 주말 이번
지난 시간 날씨 비 눈 우유 커피 밥 전화 알람 알려줘 뭐 뭐야 뭘 무엇 누구 누구야 언제 어디 어떻게 어때 왜 몇 시 해줘
해주세요 해 하자 할게 했어 했어요 하고 해서 하면 합니다 되 돼 됐어 됐다 안 못 말고 말 빼고 빼줘 빼주세요 바꿔 바꿔줘
바꿨어 취소 취소해줘 수정 고쳐줘 지워줘 넣어줘 보여줘 같은 같이 다른 거 것 메일 문장 표 제목 사진 파일 글 내용 문단
회의 피곤하다 피곤해 힘들다 짜증나 기분 재밌다 잘 보냈어요 보냈어 있어 있어요 없어 없어요 있나요 나 나는 내 너 너는
네가 저 저는 우리 입니다 이에요 예요 또 아직 벌써 이미 먼저 나중에 조금만 잠깐 잠시만 수고 수고하셨습니다 괜찮아
괜찮아요 죄송 미안 화이팅 대박 맞아 맞아요 틀렸어 아니야 됩니다 주세요 먹지 먹을까 와 와요 사라고 알겠
"""

ENGLISH_WORDS = frozenset(_EVERYDAY.split())
"""English words that everyone uses about everything: alone they name no task for a skill."""

OTHER_WORDS = frozenset(folded(f"{_EVERYDAY_ELSEWHERE} {_EVERYDAY_SCRIPTS}").split())
"""The same in some fifteen further languages that write spaces, without accents."""

_EVERYDAY_CJK = """
你好 您好 早上好 早安 下午好 晚上好 晚安 中午好 嗨 哈喽 在吗 在不在 谢谢 感谢 多谢 辛苦了 辛苦 不客气 没事 没关系
对不起 抱歉 不好意思 再见 拜拜 回头见 好的 好吧 好啊 好呀 好了 可以 行 嗯嗯 嗯 哦 噢 喔 啊 呀 吧 呢 吗 嘛 哈哈 呵呵
嘿嘿 没问题 收到 知道了 明白了 明白 了解 懂了 对的 对 是的 是 不是 不对 不行 不用 不要 不错 太好了 太棒了 太 棒 厉害
赞 完美 真 很 非常 好 继续 接着 往下 再来 再试一次 再试 再 一次 一下 一遍 下一个 上一个 下一步 上一版 上一 下一 上次
上面 下面 前面 后面 刚才 刚刚 之前 以后 以前 之后 后来 然后 最后 最 第一 第二 第三 第四 这个 那个 这些 那些 这里 那里
这 那 哪个 哪里 哪 另一个 另外 其他的 其他 别的 还是 还 都 就 也 又 才 只 先 别 更 比较 一点 一些 一个 有点 点 短一点
长一点 短 长 大 小 多 少 快 慢 改 改成 改回 换成 换 删掉 删 去掉 加 加上 撤销 取消 提交 不动 不变 保留 放到 放 拿 按
照 按你说的 说的 说 讲 问 答 回答 告诉 看看 看 听 听说 写 读 想 觉得 喜欢 讨厌 爱 怕 希望 知道 认识 记得 记住 记一下
记 忘了 忘 帮我 帮 请 麻烦 给我 给 让 把 被 从 到 在 和 跟 与 或 但 但是 不过 因为 所以 如果 要是 为什么 为 怎么样
怎么 怎样 什么 谁 几点 几号 几 多少 多久 哪天 我们 我 你 您 他 她 它 咱们 大家 自己 的 地 得 了 着 过 个 张 条 份 封
段 句 今天 明天 昨天 后天 前天 今晚 早上 上午 中午 下午 晚上 周末 周一 周二 周三 周四 周五 周六 周日 星期 上周 下周
这周 月 号 年 点钟 分钟 小时 时候 现在 马上 等一下 等等 等会 等 天气 下雨 下雪 刮风 热 冷 气温 吃饭 吃 喝 早饭 午饭
晚饭 饭 菜 买菜 咖啡 奶茶 水 牛奶 睡觉 睡 困 累 好累 饿 渴 疼 病 烦 烦死 难过 开心 高兴 生气 紧张 担心 无聊 崩溃 难受
哭 笑 上班 下班 开会 会议 回来 回家 家 出门 出去 路上 公司 老板 同事 朋友 妈妈 爸爸 妈 爸 老婆 老公 孩子 猫 狗 邻居
房租 电话 打电话 手机 电脑 闹钟 提醒 快递 外卖 电影 歌 音乐 游戏 笑话 表格 照片 图片 图 文件 邮件 标题 段落 语气 颜色
字体 客气 正式 简单 详细 详细一点 代码 报错 错 错误 问题 办法 意思 内容 东西 事情 事 地方 样子 样 名字 版本 版 英文
中文 英语 语言 翻译 搞定 终于 居然 竟然 真的 果然 可能 应该 也许 大概 一定 必须 需要 要 会 能 能不能 可不可以 有没有
有 没有 没 用 来 去 走 做 弄 出 进 上 下 里 外 中 前 后 左 右 不 无 全部 所有 每 各 任何 一样 一起 一 二 两 三 四 五
六 七 八 九 十 百 千 万 こんにちは こんばんは おはよう ございます ありがとう お疲れ様 お疲れ さま です でした ます
ました ません ください お願い します して しました した する いい よい はい いいえ うん ええ そう それ これ あれ どれ
その この あの どの ここ そこ あそこ どこ 誰 何 なぜ どう いつ さっき 先ほど 今 今日 明日 昨日 週末 朝 昼 夜 天気 雨
雪 時 分 何時 暑い 寒い 疲れた 眠い 嬉しい 悲しい 不安 続けて 続き 続ける もう一回 もう一度 もう もっと 少し 短く 長く
ちょっと 丁寧に 違う 別の 他の 方 後 次 最初 最後 一つ 二つ 二行目 一行目 行目 元に戻して 元 戻して 戻す 直して 変えて
変えました 消して 写真 表 メール ファイル 文章 文 タイトル 会議 会議室 予約 話 やって みて みます 見て 見る 言って
言う 思う 思います 分かりました わかりました 大丈夫 すみません ごめん 助かり すごい やった ダメ だめ 本当 牛乳 買う
リマインド コーヒー ご飯 人 私 僕 俺 あなた 君 彼 彼女 みんな 自分 の を に は が で と も へ から まで より や ね よ
な か だ じゃ なくて ない そのまま 進めて 部分 名前 言葉 日本語 英語 コード エラー 問題 テスト もらえますか くれる て
い る た ら れ ん お っ さ し く き せ け
"""


@cache
def everyday_cjk() -> tuple[tuple[str, ...], frozenset[str]]:
    """The same for Chinese and Japanese, which write no spaces: phrases, and words of one character.

    The phrases are the longest first, so that a text can be freed of them.
    """
    words = sorted(set(_EVERYDAY_CJK.split()), key=lambda word: (-len(word), word))
    return tuple(word for word in words if len(word) > 1), frozenset(word for word in words if len(word) == 1)


_POINTING = """
that this those these it its them one ones other another same again previous last earlier second third first instead
still already above before former latter just now more less too bit longer shorter both either back undo next yours
you your meant said told asked gave did was were forgot
"""

POINTING_WORDS = frozenset(_POINTING.split())
"""Words that point at what was said or made before; a short turn of them is a follow-up."""

_PERSONAL = """
i'm im ive i've i'll we're he's she's mum mom dad wife husband sister brother son daughter kid kids boss neighbour
neighbor friend cat dog puppy dinner lunch breakfast coffee sleep tired happy sad angry love hate feel feeling today
tonight tomorrow yesterday morning evening afternoon weekend holiday christmas birthday sorry thanks thank hello hi
hey good great nice haha lol wow ugh damn glad proud nervous lost crazy weather rain snow sunny cold hot remind
reminder alarm timer wake call buy milk train airport station bus taxi umbrella groceries shopping parcel pharmacy
"""

PERSONAL_WORDS = frozenset(_PERSONAL.split())
"""Words of feelings, company, home and errands."""
