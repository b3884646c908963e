"""Words that name one thing in Chinese and in English, so that a request in Chinese finds skills described in English.

No lexical index bridges languages by itself. The other direction is left out: measured, it gains nothing, for skills
described in Chinese name their subject in English too.
"""

from __future__ import annotations

_CONCEPTS = """
translate translation translator localize 翻译 本地化
summarize summary digest 总结 摘要 概括
write draft compose 撰写 起草 编写
writing copywriting 写作 文案
rewrite rephrase polish 改写 润色
article post 文章
blog 博客
document docs doc documentation 文档
word docx 文档
pdf
spreadsheet excel xlsx sheet 表格 电子表格
csv
slides presentation ppt pptx powerpoint deck 幻灯片 演示文稿 演示
chart graph plot 图表
visualize visualization 可视化
diagram flowchart mermaid 流程图 架构图 图示
dashboard 仪表盘 仪表板 看板
report 报告 报表
weekly 每周 周报
daily 每日 日报
monthly 每月 月报
meeting 会议
minutes 纪要
calendar schedule event 日历 日程
reminder remind 提醒
todo task 任务 待办
project 项目
plan planning 计划 规划
roadmap 路线图
estimate estimation 估算 评估
deadline 截止
email mail inbox 邮件 邮箱
gmail
message messaging chat 消息 聊天
notification notify alert 通知 警报 告警
slack
telegram 电报
wechat weixin 微信
feishu lark 飞书
dingtalk 钉钉
xiaohongshu rednote 小红书
weibo 微博
zhihu 知乎
douyin tiktok 抖音
bilibili 哔哩 B站
taobao 淘宝
alipay 支付宝
search find lookup 搜索 查找 检索 查询
query 查询
web website site webpage 网站 网页
page 页面
browser 浏览器
scrape scraping crawl crawler extract 抓取 爬取 爬虫
extract extraction 提取 抽取
download 下载
upload 上传
publish release 发布
deploy deployment 部署
install installation setup 安装
configure configuration config settings 配置 设置
upgrade update 更新 升级
migrate migration 迁移
backup 备份
restore recover recovery 恢复
sync synchronize 同步
import 导入
export 导出
convert conversion converter transform 转换
format formatting 格式
merge combine 合并
split 拆分 分割
compress compression 压缩
rename 重命名
delete remove 删除
create make new generate 创建 生成 新建
generate generation generator 生成
build 构建
edit modify 编辑 修改
add 添加 增加
list 列表 列出
compare comparison 比较 对比
analyze analysis analytics 分析
audit 审计 审核 检查
review reviewer 审查 评审 审核
check verify validate validation 检查 验证 校验
test testing tests 测试
debug debugging troubleshoot diagnose 调试 排查 诊断
fix repair bug 修复
error exception 错误 异常 报错
performance 性能
optimize optimization 优化
refactor refactoring 重构
benchmark 基准
monitor monitoring 监控 监测
log logs logging 日志
trace tracing 追踪 跟踪
track tracking tracker 跟踪 追踪
automate automation 自动化
workflow 工作流 流程
pipeline 流水线 管道
trigger 触发
template 模板
script 脚本
code coding programming 代码 编程
developer development 开发 开发者
software 软件
app application 应用
mobile 移动
android 安卓
ios iphone 苹果
frontend 前端
backend 后端
server 服务器
client 客户端 客户
api 接口
webhook
database db 数据库
sql 查询
schema 模式
table 表格
data 数据
dataset 数据集
statistics statistical 统计
cache caching 缓存
memory 内存 记忆
storage store 存储
cloud 云端 云服务
container docker 容器
kubernetes k8s 集群
network 网络
proxy 代理
domain dns 域名
security secure 安全
vulnerability 漏洞
encrypt encryption 加密
password credential secret 密码 凭证 凭据
login authentication auth oauth 登录 认证 身份验证
permission authorization access 权限 授权
token tokens 令牌 代币
privacy 隐私
compliance 合规
risk 风险
git 版本控制
commit 提交
branch 分支
repository repo 仓库 代码库
issue 问题
version 版本
changelog 变更
dependency dependencies package 依赖
library 库
plugin extension 插件 扩展
skill 技能
agent agents 代理 智能体
subagent 子代理
multi-agent 多代理 多智能体
model llm 模型 大模型
prompt 提示词 提示
training finetune finetuning 训练 微调
embedding vector 向量 嵌入
inference 推理
knowledge 知识
retrieval rag 检索
machine learning 机器学习
neural network 神经网络
deep learning 深度学习
diffusion 扩散
chatbot bot 机器人
robot 机器人
image picture photo 图片 图像 照片
draw drawing paint illustration 绘画 绘图 插画
design designer 设计
logo 标志
icon 图标
color palette 颜色 配色
font typography 字体
layout 布局
poster 海报
cover 封面
thumbnail 缩略图
background 背景
video 视频
clip editing 剪辑
subtitle caption 字幕
audio sound 音频 声音
voice speech 语音
tts 语音合成
transcribe transcription transcript 转录 转写 听写
podcast 播客
music song 音乐 歌曲
lyrics 歌词
movie film 电影
game gaming 游戏
animation 动画
avatar 头像 数字人
screenshot 截图 截屏
camera 相机 摄像头
ocr recognize recognition 识别
3d 三维
print printing 打印
book 书籍 图书
novel fiction 小说
story 故事
script screenplay 剧本
poem poetry 诗歌
character 角色 人物
diary journal 日记
note notes 笔记
obsidian
notion
paper papers manuscript 论文
literature 文献
citation reference bibliography 引用 参考文献
academic scholar research 学术 研究
survey questionnaire 调研 调查 问卷
experiment 实验
hypothesis 假设
abstract 摘要
latex
journal 期刊
submission submit 投稿 提交
patent 专利
thesis dissertation 毕业论文
teach teaching teacher 教学 教师 老师
student 学生
course curriculum 课程
lesson 课
learn learning study 学习
exam quiz 考试 测验
homework 作业
interview 面试 采访
resume cv 简历
job career 求职 职业 工作
hire hiring recruit recruitment recruiting 招聘
salary 薪资 工资
employee staff 员工
onboarding 入职
performance review 绩效
team 团队
manager management 管理
customer user 客户 用户
support helpdesk 客服 支持
feedback 反馈
complaint 投诉
crm 客户管理
sales selling 销售
lead leads prospect 线索 潜在客户
marketing 营销 市场
advertising ads ad advertisement 广告
campaign 活动 广告系列
brand branding 品牌
seo 搜索引擎 优化
keyword 关键词
content 内容
social 社交 社交媒体
influencer 网红 博主
audience 受众
conversion 转化
landing 落地页
newsletter 简报 通讯
ecommerce shop store 电商 店铺 商店
product 产品 商品
inventory stock 库存
order 订单
shipping delivery logistics 物流 配送 发货
express parcel courier 快递
supplier 供应商
purchase buy procurement 购买 采购
price pricing 价格 定价
discount coupon 优惠 折扣 优惠券
refund return 退款 退货
payment pay 支付 付款
invoice billing bill 发票 账单
receipt 收据
subscription subscribe 订阅
finance financial 财务 金融
accounting bookkeeping 会计 记账
budget 预算
expense expenses 费用 支出 报销
tax taxes 税务 税
bank 银行
loan mortgage 贷款
insurance 保险
invest investment investor 投资
stock stocks equity shares 股票
fund 基金
bond 债券
trade trading trader 交易
portfolio 投资组合 作品集
quote quotes 行情 报价
market 市场
crypto cryptocurrency bitcoin 加密货币 比特币
ethereum 以太坊
wallet 钱包
blockchain onchain 区块链 链上
nft
defi
exchange 交易所
futures option options 期货 期权
strategy 策略 战略
backtest 回测
forecast predict prediction 预测
valuation 估值
earnings 财报 收益
dividend 股息 分红
fundraising funding 融资
startup founder 创业 创始人
business 商业 业务
company enterprise 公司 企业
contract agreement 合同 协议
legal law lawyer 法律 律师
regulation 法规
policy 政策
court case 案件 法院
trademark 商标
real estate property house 房产 房地产 房屋
rent rental 租房 租赁
health healthcare 健康 医疗
medical medicine 医疗 医学
doctor 医生
patient 患者
hospital 医院
disease 疾病
symptom 症状
drug medication 药物 药品
diet nutrition 饮食 营养
calorie calories 卡路里 热量
food meal 食物 餐
recipe cook cooking 食谱 烹饪 菜谱
restaurant 餐厅
fitness workout exercise 健身 锻炼 运动
running run 跑步
sleep 睡眠
weight 体重
mental psychology 心理
meditation 冥想
emotion 情感 情绪
pregnancy baby 怀孕 宝宝 婴儿
child kids children 儿童 孩子
pet cat dog 宠物
family 家庭
dating relationship 恋爱 关系
wedding 婚礼
travel trip itinerary 旅行 旅游 行程
flight airline 航班 机票
hotel 酒店
train railway 火车 高铁
ticket tickets 车票 票
map maps navigation route 地图 导航 路线
location place 位置 地点
weather 天气
car vehicle 汽车 车辆
parking 停车
bike 自行车
news headline 新闻 资讯
hot trending trend trends 热点 热门 趋势
rss feed
twitter tweet 推特 推文
facebook
instagram
youtube
linkedin 领英
reddit
discord
pinterest
comment reply 评论 回复
follow followers 关注 粉丝
like likes 点赞
video live streaming stream livestream 直播
stream streaming 流式
translate english 英语 英文
chinese 中文 汉语
japanese 日语 日文
korean 韩语
french 法语
german 德语
spanish 西班牙语
grammar 语法
vocabulary word words 单词 词汇
spelling typo 拼写 错别字
proofread proofreading 校对
speech talk 演讲
debate 辩论
decision decide 决策 决定
brainstorm idea ideas 头脑风暴 创意 想法
think thinking reasoning 思考 思维 推理
question ask 问题 提问
answer 回答 答案
explain explanation 解释 说明
guide tutorial 指南 教程
checklist 清单 检查表
requirement requirements 需求
specification spec 规格 规范
acceptance 验收
prototype mockup wireframe 原型
interface ui 界面
ux experience 体验
component 组件
style css 样式
theme 主题
accessibility 无障碍
responsive 响应式
form 表单
button 按钮
menu 菜单
terminal console shell 终端 命令行
command cli 命令 命令行
file files 文件
folder directory 文件夹 目录
path 路径
url link links 链接
clipboard 剪贴板
desktop 桌面
window windows 窗口
mac macos
linux
hardware device 硬件 设备
sensor 传感器
smart home 智能家居
light lights 灯
temperature 温度
energy power electricity 能源 电力
battery 电池
drone 无人机
iot 物联网
chip 芯片
circuit electronics 电路 电子
factory manufacturing 制造 工厂
quality 质量
engineering engineer 工程 工程师
construction building 建筑 施工
agriculture farm crop 农业 农作物
environment 环境
climate carbon 气候 碳
chemistry chemical molecule 化学 分子
biology gene genome protein 生物 基因 蛋白质
physics 物理
math mathematics 数学
equation formula 公式 方程
calculate calculation calculator compute 计算
convert currency 货币 汇率
unit 单位
date time 日期 时间
timezone 时区
holiday 节日 假期
birthday 生日
gift 礼物
astrology horoscope zodiac 占星 星座
fortune divination bazi tarot 算命 占卜 八字 塔罗
fengshui 风水
lottery 彩票
sports football soccer 体育 足球
basketball 篮球
bet betting odds 投注 赔率
score 评分 得分
rank ranking leaderboard 排名 排行
vote poll 投票
review rating 评价
cost 成本
usage 用量
limit quota 配额 限制
queue 队列
cron scheduled job timer 定时 定时任务
heartbeat 心跳
session 会话
context 上下文
conversation dialogue 对话
history 历史
identity persona personality 身份 人格
role 角色
simulate simulation 模拟 仿真
random 随机
filter 过滤 筛选
sort 排序
classify classification category 分类
tag label 标签
cluster 聚类 集群
duplicate dedupe 重复 去重
clean cleanup 清理 清洗
archive 归档
organize 整理
scan scanning 扫描
detect detection detector 检测
block 屏蔽 区块
firewall 防火墙
attack 攻击
phishing scam fraud 钓鱼 诈骗 欺诈
penetration pentest 渗透
reverse 逆向
malware virus 恶意 病毒
incident 事件 事故
emergency 紧急
safety 安全
government 政府
public 公共 公开
charity nonprofit 慈善
community 社区
open source 开源
license licensing 许可
standard standards 标准
architecture 架构
system 系统
service services 服务
microservice 微服务
distributed 分布式
integration integrate connect 集成 对接 连接
connector 连接器
platform 平台
tool tools 工具
resource 资源
"""
"""One concept a line, its words as people write them."""


def _chinese() -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for line in _CONCEPTS.splitlines():
        words = line.split()
        english = [word for word in words if word.isascii()]
        for word in words:
            if not word.isascii():
                found.setdefault(word, []).extend(english)
    return {word: " ".join(english) for word, english in found.items() if english}


_CHINESE = _chinese()


def in_english(text: str) -> str:
    """The English words for what a text says in Chinese, separated by spaces; "" where it says nothing known."""
    return " ".join([english for word, english in _CHINESE.items() if word in text])
